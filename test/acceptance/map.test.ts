/** Automatic mappings as a user meets them. */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { csvOf, program, recordsAt, run, runInProcess, test, write, writeCsv } from '../support/program.ts';

const EXPORT = [
  'Organization Name,Website,Funding Type,Announced Date,Money Raised,Investors',
  'Northwind,https://www.northwind.example,Seed,2026-11-03,3000000,X',
  'Brightleaf,https://brightleaf.example/,Series A,2026-11-04,9000000,Y',
].join('\n');

/** Lists without title or source, and social exports without a type of engagement. */
const EXPORTS = [
  { name: 'rounds.csv', text: EXPORT, args: [] },
  {
    name: 'crunch base.csv',
    text: 'Organization Name,Website,Last Funding Type,Last Funding Amount (in USD)\nOak & "Ember",oak.example,Seed,30\n',
    args: [],
  },
  {
    name: 'jobs.csv',
    text: 'Company;Job Title;Department;Date Posted\nNorthwind;Welder;Plant;2026-11-03\nBrightleaf;Clerk;Office;2026-11-04\n',
    args: ['--type', 'signals'],
  },
  {
    name: 'tweets.csv',
    text: 'Tweet URL,Tweet Content,Username\nhttps://twitter.com/ana/status/17,Good,ana\nhttps://twitter.com/ben/status/18,So so,ben\n',
    args: ['--type', 'social'],
  },
  {
    name: 'comments.csv',
    text: 'Comment,Profile URL,Post URL\nGood work on this,https://www.linkedin.com/in/ana,https://www.linkedin.com/feed/update/urn:li:activity:7\n',
    args: [],
  },
  {
    name: 'encoding is guessed.csv',
    text: Buffer.from(EXPORT.replace('Brightleaf', 'M\xfcller Z\xfcrich'), 'latin1'),
    args: [],
  },
] as const;

/** The commands on lines of their own. */
function pasteable(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^ +\S.*? ((?:map|upload) .*)$/.exec(line)?.[1] ?? []);
}

/** Runs a command as a shell does. */
async function paste(cwd: string, words = ''): Promise<{ readonly code: number; readonly text: string }> {
  const env = { PATH: process.env['PATH'], HOME: cwd, SIGNALS_CONFIG_DIR: path.join(cwd, 'settings') };
  const shell = spawnSync('sh', ['-c', `'${process.execPath}' '${program}' ${words}`], { cwd, env, encoding: 'utf8' });
  return { code: shell.status ?? -1, text: shell.stdout + shell.stderr };
}

describe('a file without a mapping', () => {
  test('with an open required field is exit 2, the proposal, and commands that work', async ({ cwd }) => {
    await write(cwd, 'rounds.csv', EXPORT);
    const refused = await run(cwd, ['upload', 'rounds.csv', '--sandbox']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/^ +company_domain +Website +northwind\.example +\d\d% header and values$/m);
    expect(refused.stderr).toContain('--set signal_source=funding');
    const [map, upload, ...others] = pasteable(refused.stderr);
    expect(others).toEqual([]);
    expect((await paste(cwd, map)).code).toBe(0);
    expect((await paste(cwd, upload)).code).toBe(0);
  });

  test.for(EXPORTS)('needs at most three commands and no editor: $name', async ({ name, text, args }, { cwd }) => {
    await write(cwd, name, text);
    const refused = await runInProcess(cwd, ['upload', name, '--sandbox', ...args]);
    expect(refused.code).toBe(2);
    const commands = pasteable(refused.stderr);
    expect(commands).toHaveLength(2);
    for (const command of commands) expect(await paste(cwd, command)).toMatchObject({ code: 0 });
  });

  test('from a pipe is completed by options to add, because it cannot be read twice', async ({ cwd }) => {
    const refused = await run(cwd, ['upload', '-', '--sandbox'], { input: EXPORT });
    expect(refused.code).toBe(2);
    const options = /add to your command:\n +(.*)$/m.exec(refused.stderr)?.[1];
    await write(cwd, 'rounds.csv', EXPORT);
    expect(await paste(cwd, `upload - --sandbox ${options} < rounds.csv`)).toMatchObject({ code: 0 });
  });

  test('is mapped by options that the text suggests: constants, texts with columns, date formats', async ({ cwd }) => {
    await write(cwd, 'rounds.csv', EXPORT.replaceAll('2026-11-0', '03/0').replaceAll(/(03\/0\d)/g, '$1/2026'));
    const mapped = await runInProcess(cwd, ['map', 'rounds.csv', '--accept']);
    expect(mapped.stdout).toContain('Left out: detected_at, because its values can be read in several ways.');
    const option = /-c '(detected_at=[^']*)'/.exec(mapped.stdout)?.[1] ?? '';
    expect(option).toBe('detected_at={ column: Announced Date, as: date, format: M/d/yyyy }');
    const given = [
      '-c',
      option,
      '-c',
      'signal_title={organization name}: {Funding Type}',
      '--set',
      'signal_source=news',
    ];
    const sent = await runInProcess(cwd, ['check', 'rounds.csv', ...given, '-v']);
    expect(sent.code).toBe(0);
    expect(sent.stdout).toContain('"signal_name": "Northwind: Seed"');
    expect(sent.stdout).toContain('"detected_at": "2026-03-03T00:00:00Z"');
  });

  test('is shown as a table of less than 100 columns, with the meaning of words, and its type once', async ({
    cwd,
  }) => {
    const rows = ['Series A', 'Hiring', 'Press', 'Grant', 'Seed'].map(
      (kind, n) =>
        `The very long name of company ${n},https://www.c${n}.example/about,Opens a plant in town ${n},${kind},${n}`,
    );
    await write(cwd, 'in.csv', `Organization Name As Registered,Website,Headline,Source,Legacy\n${rows.join('\n')}\n`);
    const shown = await runInProcess(cwd, ['map', 'in.csv', '-c', 'signal_title=Headline']);
    expect(shown.code).toBe(0);
    const [head = '', ...lines] = shown.stdout.slice(shown.stdout.indexOf('  FIELD')).split('\n');
    expect(head).toMatch(/^ {2}FIELD +COLUMN +SENT AS +WHY$/);
    const table = lines.slice(0, lines.indexOf(''));
    expect([head, ...table].filter((line) => line.length >= 100)).toEqual([]);
    expect(table.join('\n')).toMatch(
      /^ {2}signal_source +Source +funding +(?:\d\d% .*|name matches)\n {4}"Series A" is funding, .*, 2 more$/m,
    );
    expect(table.join('\n')).toMatch(/^ {2}signal_title +Headline +Opens a plant.*(?:own 0|…) +chosen$/m);
    expect(table).toContain('Unused: "Legacy".');
    expect(shown.stdout.match(/signals, because/g)).toHaveLength(1);
  });

  test('is not uploaded with a count of columns that contradicts the reason beside it', async ({ cwd }) => {
    await writeCsv(cwd, 'in.csv', 3, (n) => `Company ${n},c${n}.example,Title ${n},news,${n + 13}.11.2026`);
    const { stderr } = await runInProcess(cwd, ['upload', 'in.csv', '--sandbox']);
    expect(stderr).toMatch(
      /all 5 columns match by name\n.*\n +detected_at +detected_at +14 November 2026 +name matches\n {4}day first\n/,
    );
    await write(cwd, 'web.csv', csvOf(3).replace('company_domain', 'Web'));
    expect((await runInProcess(cwd, ['upload', 'web.csv', '--sandbox'])).stderr).toContain(
      '4 of 5 columns match by name, 1 by header and values\n',
    );
  });

  test.for(['auto', 'reference'])(
    'has words for no value that count as empty in every column: engine %s',
    async (engine, { cwd, there }) => {
      const words = ['Robots', 'Ships', 'Toys', 'Cars', 'Boats', 'Bikes', 'N/A', 'n/a', '-', 'none', 'null'];
      const rows = words.map((word, n) => `Company ${n},c${n}.example,Title ${n},news,${word},${word}`);
      await write(
        cwd,
        'in.csv',
        `company_name,company_domain,signal_title,signal_source,Industry,Location\n${rows.join('\n')}\n`,
      );
      const env = { SIGNALS_BASE_URL: there.url, SIGNALS_API_KEY: there.key };
      const sent = await runInProcess(cwd, ['upload', 'in.csv', '--setting', `engine=${engine}`], { env });
      expect(sent.code).toBe(0);
      expect(sent.stderr).toContain('Cells that count as empty: "N/A", "n/a", "-", "none" and "null".');
      const records = await recordsAt(there);
      expect(records.map(({ industry = '' }) => industry)).toEqual([...words.slice(0, 6), '', '', '', '', '']);
      expect(records.map(({ location = '' }) => location)).toEqual([...words.slice(0, 6), '', '', '', '', '']);
    },
  );

  test('says of a field that its variant does not have that it is not sent', async ({ cwd }) => {
    await write(
      cwd,
      'in.csv',
      'company_name,signal_title,signal_source,Employees\nAcme,Opens,news,120\nHooli,Hires,news,80\n',
    );
    const { stdout } = await runInProcess(cwd, ['map', 'in.csv', '-c', 'employee_count=Employees']);
    expect(stdout).toMatch(/^ {2}employee_count +Employees +\(not sent\) +chosen$/m);
    expect(stdout).toContain('1 mapped field is not sent');
  });

  test('names no column as unused that a question is about', async ({ cwd }) => {
    const rows = ['Acme,acme.example,Seed,Hiring', 'Hooli,hooli.example,Series A,Partner'];
    await write(cwd, 'in.csv', `Company,Website,Round,Role\n${rows.join('\n')}\n`);
    const { stdout } = await runInProcess(cwd, ['map', 'in.csv', '-c', 'signal_title={Company} raised {Round}']);
    expect(stdout).toContain('"Role", where "Hiring" is job_posting; asks what "Partner" means');
    expect(stdout.slice(0, stdout.indexOf('Open:'))).not.toContain('"Role"');
  });

  test('is asked once about a network, whatever number of columns has URLs of it', async ({ cwd }) => {
    const rows = [1, 2, 3].map(
      (n) => `Ana ${n},https://www.linkedin.com/in/ana${n},https://www.linkedin.com/posts/x_${n}`,
    );
    await write(cwd, 'in.csv', `Full Name,Profile,Liked post\n${rows.join('\n')}\n`);
    const { stdout } = await runInProcess(cwd, ['map', 'in.csv', '--type', 'social']);
    expect(stdout.match(/linkedin in every row/g)).toHaveLength(1);
  });

  test('is not saved with a column that does not exist', async ({ cwd }) => {
    await write(cwd, 'in.csv', 'Company,Headline,Kind\nNorthwind,Opens,Press\nBrightleaf,Hires,Jobs\n');
    const missing = await runInProcess(cwd, ['map', 'in.csv', '-c', 'description=Nope', '--save']);
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.stderr).toContain('"description" uses the column "Nope", which the input does not have.');
    expect(await readdir(cwd)).not.toContain('in.csv.mapping.yaml');
  });

  test('is saved with a warning and exit code 2 if less than half of the rows are valid', async ({ cwd }) => {
    await write(cwd, 'in.csv', 'Company,Headline,Kind\nNorthwind,Opens,Press\nBrightleaf,,Press\nOak,,Press\n');
    const poor = await runInProcess(cwd, ['map', 'in.csv', '-c', 'signal_title=Headline', '--accept', '--save']);
    expect(poor).toMatchObject({ code: 2 });
    expect(poor.stdout).toContain('1 of 3 rows is valid; 2 are not: signal_title (from Headline) is missing');
    expect(poor.stdout).toContain('Warning: less than half of these rows would be sent, so this command exits with 2.');
    expect(await readdir(cwd)).toContain('in.csv.mapping.yaml');
  });

  test('gets its mapping saved with comments, only where asked, and never over another file', async ({ cwd }) => {
    await write(cwd, 'rounds.csv', EXPORT);
    const shown = await runInProcess(cwd, ['map', 'rounds.csv']);
    expect(shown.code).toBe(2);
    expect(shown.stdout).toContain('To accept the first answers:');
    const saved = await runInProcess(cwd, ['map', 'rounds.csv', '--save']);
    expect(saved.code).toBe(2);
    expect(saved.stdout).toContain('Saved to rounds.csv.mapping.yaml.');
    const yaml = await readFile(path.join(cwd, 'rounds.csv.mapping.yaml'), 'utf8');
    expect(yaml).toMatch(/^ {2}# \d\d% header\n {2}company_name: Organization Name$/m);
    expect(yaml).toContain('  # signal_source: { value: funding }   # 60%\n');
    const again = await runInProcess(cwd, ['map', 'rounds.csv', '--save', '--accept']);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('already exists');
    const over = await runInProcess(cwd, ['map', 'rounds.csv', '--save', '--accept', '--overwrite']);
    expect(over.code).toBe(0);
  });
});
