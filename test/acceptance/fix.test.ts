/**
 * `signals fix`: exports with the faults that real ones have (fixtures/messy), from the rejected rows to
 * their upload. NAME.mapping.yaml is the mapping of an export whose columns do not say enough.
 */
import { existsSync, readdirSync } from 'node:fs';
import { readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { printed, root, run, runFolder, runInProcess, summaryOf, test, workspace, write } from '../support/program.ts';
import { hasTmux, terminal } from '../support/screen.ts';

const messy = path.join(root, 'fixtures', 'messy');
const exports = readdirSync(messy).filter((name) => !name.endsWith('.mapping.yaml'));

/** The words of a command that the program printed. */
function wordsOf(command: string): readonly string[] {
  const [, ...words] = /signals(?:\.js)? (.*)$/.exec(command)?.[1]?.split(' ') ?? [];
  return [...(/signals(?:\.js)? (\w+)/.exec(command)?.slice(1) ?? []), ...words];
}

describe('the invalid rows of a messy export', () => {
  test.for(exports)('%s: nine of ten rows are valid and delivered after at most five rules', async (name, { cwd }) => {
    const file = path.join(messy, name);
    const mapping = path.join(messy, `${name.replace(/\.[^.]*$/, '')}.mapping.yaml`);
    const given = existsSync(mapping) ? ['-m', mapping] : [];
    const first = await run(cwd, ['upload', file, ...given, '--sandbox', '--json']);
    expect(first.code, first.stderr).toBe(3);
    const { invalid = 0 } = summaryOf(first).rows;
    expect(invalid).toBeGreaterThan(10);

    const fixed = await runInProcess(cwd, ['fix', 'last', '--accept', '--json']);
    expect(fixed.code, fixed.stderr).toBe(0);
    const { rules, open, next } = summaryOf(fixed) as unknown as { rules: []; open: []; next: string };
    expect(rules.length).toBeLessThanOrEqual(5);
    expect(open).toEqual([]);

    const second = await runInProcess(cwd, [...wordsOf(next), '--json']);
    const { delivered = 0 } = summaryOf(second).rows;
    expect(delivered / invalid).toBeGreaterThanOrEqual(0.9);
  });
});

test('corrected rejects use the mapping of their run, however it reads its input', async ({ cwd, signals }) => {
  const mapping = {
    type: 'signals',
    input: { delimiter: '|', quote: '' },
    fields: { company_name: 'A', signal_title: 'B', signal_source: 'C' },
  };
  await write(cwd, 'm.json', JSON.stringify(mapping));
  await write(cwd, 'in.txt', 'A|B|C\nAcme|"Opens" a plant|news\nBeta|Hires|\n');
  expect((await signals('upload', 'in.txt', '-m', 'm.json', '--quiet')).code).toBe(3);
  const rejects = path.join(await runFolder(cwd), 'rejects', 'in.csv');
  await writeFile(rejects, (await readFile(rejects, 'utf8')).replace(/\|(?=\r?\n$)/, '|news'));
  const corrected = await signals('fix');
  expect(corrected.stdout).toContain('1 row was corrected.\n\nTo upload it:\n');
  const ended = await signals('upload', rejects, '--json');
  expect(summaryOf(ended).rows, ended.stderr).toMatchObject({ read: 1, delivered: 1 });
  const ofRun = path.join(path.dirname(path.dirname(rejects)), 'mapping.yaml');
  await rm(ofRun);
  await symlink(await write(cwd, 'victim', 'precious'), ofRun);
  const linked = await signals('upload', rejects, '--again');
  expect(linked.code).toBe(2);
  expect(linked.stderr).toContain('contains a symbolic link');
  expect(linked.stderr).not.toContain('precious');
});

describe('signals fix', () => {
  const HEAD = 'company_name,company_domain,signal_title,signal_source,detected_at';

  async function uploaded(rows: readonly string[], ...options: readonly string[]): Promise<string> {
    const cwd = await workspace();
    await write(cwd, 'in.csv', `${[HEAD, ...rows].join('\n')}\n`);
    await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--quiet', ...options]);
    return cwd;
  }

  test('is the next step of a run with rows that a rule repairs, and prints the change', async ({ cwd }) => {
    await write(cwd, 'in.csv', `${HEAD}\nAcme,acme.example,Hires,Urgent job,2026-11-20\n`);
    const { stdout } = await runInProcess(cwd, ['upload', 'in.csv', '--sandbox']);
    const [, command = ''] = /^Fix {6}(.*)$/m.exec(stdout) ?? [];
    const fixed = await runInProcess(cwd, wordsOf(command));
    expect(fixed.code).toBe(0);
    expect(fixed.stdout).toContain('signal_source: 1 row has an invalid value (at in.csv:2)');
    expect(fixed.stdout).toContain('signal_source: { column: signal_source, values: { Urgent job: job_posting } }');
    expect(fixed.stdout).toContain('in.csv:2  signal_source: "Urgent job" -> "job_posting"');
    expect(fixed.stdout).toMatch(/1 rule makes 1 of 1 invalid row valid\.\nTo save it:\n {2}.*fix .*--accept\n$/);
  });

  test('saves a mapping that only the user reads, and replaces it only with --overwrite', async () => {
    const cwd = await uploaded(['Acme,acme.example,Hires,Urgent job,2026-11-20']);
    const fixed = await runInProcess(cwd, ['fix', 'last', '--accept', '-o', 'fixed.yaml']);
    expect(fixed.stdout).toContain('Saved to fixed.yaml.');
    expect((await stat(path.join(cwd, 'fixed.yaml'))).mode & 0o777).toBe(0o600);
    const again = await runInProcess(cwd, ['fix', 'last', '--accept', '-o', 'fixed.yaml']);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('fixed.yaml already exists and was not changed.');
    expect((await runInProcess(cwd, ['fix', 'last', '--accept', '-o', 'fixed.yaml', '--overwrite'])).code).toBe(0);
  });

  test('lets an answer that it asks for replace the saved rules, and nothing else', async () => {
    const cwd = await uploaded([
      'Acme,acme.example,Hires,Urgent job,2026-11-20',
      'Beta,beta.example,Hires,news,03/04/2026',
    ]);
    const first = await runInProcess(cwd, ['fix', '--accept']);
    expect(first.stdout.split('\n').at(-2)).toContain('mapping.fixed.yaml');
    const again = await runInProcess(cwd, ['fix']);
    // The same rules are saved, with the command that uses them.
    expect(again.stdout.split('\n').slice(-4)).toEqual(first.stdout.split('\n').slice(-4));
    const other = await runInProcess(cwd, ['fix', '--rule', 'signal_source: { value: news }']);
    expect(other.stdout).toMatch(/fixed\.yaml has other rules\. To replace them:\n.* --overwrite\n$/);
    const early = await runInProcess(cwd, ['fix', '--accept', '--rule', 'detected_at: { value: 2026-04-03 }']);
    expect(early).toMatchObject({ code: 2, stdout: '' });
    const [, rule = ''] = /--rule '(detected_at: .*d\/M.*)'/.exec(first.stdout) ?? [];
    expect(first.stdout).toContain(`--accept --rule '${rule}' --overwrite`);
    const chosen = await runInProcess(cwd, ['fix', '--accept', '--overwrite', '--rule', rule]);
    expect(chosen.stdout).toContain('2 rules make 2 of 2 invalid rows valid.');
  });

  test('is the next step after a correction by hand, if the rows have other problems that a rule repairs', async () => {
    const { stdout } = await runInProcess(await uploaded([',acme.example,Hires,Urgent job,2026-11-20']), ['fix']);
    expect(stdout).toMatch(/\. Correct the rows in the rejects file by hand, then:\n.* fix\n$/);
  });

  test('does not decide about a date that can be read in two ways, nor omits it meanwhile', async () => {
    const dates = ['2026-11-20', '2026-11-21', '03/04/2026', '05/06/2026'];
    const cwd = await uploaded(dates.map((date, index) => `C ${index},c${index}.example,Hires,news,${date}`));
    const fixed = await runInProcess(cwd, ['fix', 'last', '--accept', '--json']);
    expect(fixed.code).toBe(3);
    expect(summaryOf(fixed)).toMatchObject({
      rules: [],
      open: [
        {
          field: 'detected_at',
          rules: [
            { examples: [{ at: 'in.csv:4', before: '03/04/2026', after: '2026-03-04T00:00:00Z' }, {}] },
            { examples: [{ after: '2026-04-03T00:00:00Z' }, {}] },
          ],
        },
      ],
    });
    expect(fixed.stderr).toContain('Needs your answer: several readings are possible. To save one of them:');
    expect(fixed.stderr).toMatch(/"03\/04\/2026" \(first at in\.csv:4\)\. Choose one of their rules above, or correct/);
    expect(fixed.stderr).not.toContain('No rule makes a row valid');
    const dayFirst = 'detected_at: { column: detected_at, as: date, format: [ iso, d/M/yyyy ] }';
    expect(fixed.stderr).toContain(`--accept --rule '${dayFirst}'`);
    const chosen = await runInProcess(cwd, ['fix', 'last', '--accept', '--rule', dayFirst]);
    expect(chosen.code).toBe(0);
    expect(chosen.stdout).toContain('1 rule makes 2 of 2 invalid rows valid.');
    expect((await runInProcess(cwd, ['fix', 'last', '--rule', 'date: x'])).code).toBe(2);
  });

  test('lists what no rule repairs: rows that cannot be parsed, the header again, and what only variant b needs', async () => {
    const cwd = await uploaded(
      [
        'Acme,acme.example,Hires,Urgent job,2026-11-20',
        HEAD,
        'Beta,beta.example,Hires,news,2026-11-20,too,many',
        'Gamma,,Hires,news,2026-11-20',
      ],
      ...['--variant', 'b'],
    );
    const fixed = await runInProcess(cwd, ['fix', 'last', '--accept']);
    expect(fixed.stdout).toContain('1 row is the header again, a total or a note (first at in.csv:3).');
    expect(fixed.stdout).toContain('1 row cannot be parsed, for the reason in _reason. Correct the rejects file.');
    expect(fixed.stdout).toMatch(/company_domain is missing \(at in\.csv:5\)\. .* `--variant a`, which needs none\./);
    expect(fixed.stdout).toContain('1 rule makes 1 of 4 invalid rows valid.');
  });

  test('lists a record that is too large once, beside a row that cannot be parsed', async () => {
    const large = `Acme,acme.example,${'long '.repeat(400)},news,2026-11-20`;
    const broken = 'Beta,beta.example,Hires,news,2026-11-20,too,many';
    const cwd = await uploaded([large, broken], '--setting', 'max_bytes=1KB');
    const { stdout } = await runInProcess(cwd, ['fix']);
    expect(stdout.match(/the row exceeds the size limit/g)).toHaveLength(1);
    expect(stdout).toContain('1 row cannot be parsed');
  });

  test('has no command for rejects that are not data', async () => {
    const cwd = await uploaded([HEAD]);
    const fixed = await runInProcess(cwd, ['fix']);
    expect(fixed.stdout).toMatch(/Delete it from the rejects file\.\n\nThen no row is left to upload\.\n$/);
  });

  test('leaves the rows of an uploaded rejects file to the run that uploaded it', async () => {
    const rows = ['Acme,acme.example,Hires,Urgent job,2026-11-20', ',beta.example,Hires,news,2026-11-20'];
    const cwd = await uploaded(rows);
    const [first = ''] = readdirSync(path.join(cwd, 'signals-runs')).filter((name) => !name.startsWith('.'));
    const fixed = await runInProcess(cwd, ['fix', first, '--accept', '--json']);
    const { next } = summaryOf(fixed) as unknown as { next: string };
    await runInProcess(cwd, [...wordsOf(next), '--run-id', 'second', '--quiet']);
    const shown = await runInProcess(cwd, ['runs', 'show', first]);
    expect(shown.stdout).toContain('uploaded by second: 1 of 2 rows delivered');
    expect(shown.stdout).toMatch(/^See {6}.* runs show second$/m);
    expect(await printed(cwd, 'fix', first)).toMatch(
      /^Nothing to fix: second uploaded the rejects file, and delivered 1 of 2 rows\.\nFor the others: .* runs show second/,
    );
  });

  test('reads the rejects as what they are, with a mapping that names the format of the input', async ({ cwd }) => {
    await write(
      cwd,
      'in.json',
      JSON.stringify([
        { company_name: 'Acme', signal_title: 'Raised', signal_source: 'funding' },
        { company_name: 'Bolt', signal_title: 'Hires', signal_source: 'newspaper' },
      ]),
    );
    await write(
      cwd,
      'm.yaml',
      'input: { format: json }\ntype: signals\nvariant: a\nfields: { company_name: company_name, signal_title: signal_title, signal_source: signal_source }\n',
    );
    expect((await runInProcess(cwd, ['upload', 'in.json', '-m', 'm.yaml', '--sandbox', '--quiet'])).code).toBe(3);
    const fixed = await runInProcess(cwd, ['fix', '--accept', '--json']);
    expect(fixed.code).toBe(0);
    expect(JSON.parse(fixed.stdout).rules).toHaveLength(1);
  });

  test('repeats the encoding in which a program has saved the rejects file', async () => {
    const cwd = await uploaded(['Müller,mueller.example,Hires,Urgent job,2026-11-20']);
    const file = path.join(await runFolder(cwd), 'rejects', 'in.csv');
    const saved = (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
    await writeFile(file, Buffer.from(saved, 'latin1'));
    const fixed = await runInProcess(cwd, ['fix', 'last', '--accept', '--json']);
    const { next } = summaryOf(fixed) as unknown as { next: string };
    expect(next).toContain('--encoding windows-1252');
    expect((await runInProcess(cwd, [...wordsOf(next), '--quiet'])).code).toBe(0);
  });

  test('knows a line that is not JSON, and keeps its reason when it is uploaded again', async ({ cwd }) => {
    const row = { company_name: 'Acme', company_domain: 'acme.example', signal_title: 'Hires', signal_source: 'news' };
    await write(cwd, 'in.ndjson', `${JSON.stringify(row)}\n{"company_name":"Broken"\n`);
    await runInProcess(cwd, ['upload', 'in.ndjson', '--sandbox', '--quiet']);
    const fixed = await runInProcess(cwd, ['fix', 'last', '--json']);
    expect(fixed.stderr).not.toContain('Needs your answer');
    expect(fixed.stderr).toContain('1 row cannot be parsed');
    const { next } = summaryOf(fixed) as unknown as { next: string };
    const again = await runInProcess(cwd, [...wordsOf(next), '--json']);
    expect(summaryOf(again)['invalidReasons']).toMatchObject([
      { reason: expect.stringContaining('not a JSON object') },
    ]);

    // Corrected where it is: in the text of the line.
    const file = path.join(cwd, wordsOf(next)[1] ?? '');
    const text = JSON.stringify(JSON.stringify(row));
    await write(cwd, path.relative(cwd, file), (await readFile(file, 'utf8')).replace(/"_raw":.*/, `"_raw":${text}}`));
    expect((await runInProcess(cwd, [...wordsOf(next), '--quiet'])).code).toBe(0);
  });
});

describe.runIf(hasTmux)('signals fix on a terminal', () => {
  test('asks about each cause; the answers are saved with the command for the rejects', async ({ cwd }) => {
    await write(
      cwd,
      'in.csv',
      [
        'company_name,company_domain,signal_title,signal_source,detected_at',
        'Acme,acme.example,Hires,Urgent job,2026-11-20',
        'Beta,beta.example,Hires,news,03/04/2026',
        'Gamma,gamma.example,,news,2026-11-20',
        'Delta,delta.example,Hires,news,soon',
      ].join('\n'),
    );
    await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--quiet']);
    const screen = await terminal(cwd, ['fix'], {});
    await screen.until(/Urgent job.*job_posting[\s\S]*Use this rule\?/);
    screen.type('Enter');
    // Two readings of one date: the second is day first.
    await screen.until(/How should these rows be repaired\?/);
    // Neither is marked, and the way back leads to the same question.
    expect(await screen.until(/skip: leave these rows/)).toMatch(/03\/04\/2026 -> 3 April 2026/);
    screen.type('Down', 'Enter');
    await screen.until(/Use this rule\?[\s\S]*Use this rule\?/);
    screen.type('Enter');
    await screen.until(/How should these rows be repaired\?[\s\S]*How should these rows be repaired\?/);
    screen.type('Up', 'Up', 'Enter');
    await screen.until(/signal_title: 1 row has no value[\s\S]*● skip: leave these rows/);
    screen.type('Up', 'Enter');
    await screen.until(/The rule:/);
    screen.type('C-u', 'signal_title: { first: [signal_title], otherwise: New signal }', 'Enter');
    await screen.until(/invalid: omit[\s\S]*Use this rule\?/);
    screen.type('Enter');
    const end = await screen.until(/exit=0/);
    expect(end).toContain('4 rules make 4 of 4 invalid rows valid.');
    const [, file = ''] = /Saved to (\S+mapping\.fixed\.yaml)\./.exec(end.replace(/\n/g, '')) ?? [];
    const mapping = await readFile(path.join(cwd, file), 'utf8');
    expect(mapping).toContain('signal_title: { first: [ signal_title ], otherwise: New signal }');
    expect(mapping).toContain('format: [ iso, d/M/yyyy ], invalid: omit');
  });

  test('goes back on Escape, and saves nothing when the user stops with Ctrl-C', async ({ cwd }) => {
    const head = 'company_name,company_domain,signal_title,signal_source,detected_at';
    const rows = ['Acme,acme.example,Hires,Urgent job,2026-11-20', 'Beta,beta.example,Hires,news,03/04/2026'];
    await write(cwd, 'in.csv', `${[head, ...rows].join('\n')}\n`);
    await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--quiet']);
    const screen = await terminal(cwd, ['fix'], {});
    await screen.until(/Use this rule\?/);
    screen.type('Enter');
    await screen.until(/◆ {2}How should these rows be repaired\?/);
    screen.type('Escape');
    await screen.until(/◆ {2}Use this rule\?/);
    screen.type('Enter');
    await screen.until(/◆ {2}How should these rows be repaired\?/);
    screen.type('C-c');
    await screen.until(/exit=130/);
    expect(existsSync(path.join(await runFolder(cwd), 'mapping.fixed.yaml'))).toBe(false);
  });
});
