/** What stands in the folder of runs. */
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32, gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { runCli } from '../../src/cli/command-line.ts';
import { Cancelled } from '../../src/questions/question.ts';
import { fakeStreams } from '../support/fake-terminal.ts';
import {
  at,
  csvOf,
  expectEnd,
  nowhere,
  plainRow,
  printed,
  run,
  runFolder,
  runIds,
  runInProcess,
  service,
  socialCsv,
  test,
  timesDelivered,
  withWrongKey,
  workspace,
  write,
  writeCsv,
} from '../support/program.ts';

test('the list tells of every run what it came to and what comes next', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'good.csv', 120);
  await writeCsv(cwd, 'bad.csv', 50);
  expect(await printed(cwd, 'runs')).toContain('No runs in signals-runs');
  await signals('upload', 'good.csv', '--quiet');
  const wrong = withWrongKey(there);
  const refused = await run(cwd, ['upload', 'bad.csv', '--quiet'], { env: wrong });
  expect(refused.stderr).toContain('The key came from SIGNALS_API_KEY. Set the right one there.');
  const told = await runInProcess(cwd, ['runs']);
  expect(told.code).toBe(0);
  expect(told.stdout).toMatch(/ good\.csv +120 *\n/);
  expect(told.stdout).toMatch(/ bad\.csv +0 +50 {2}.*signals\.js resume\n/);
  const { runs } = JSON.parse(await printed(cwd, 'runs', '--json'));
  expect(runs).toMatchObject([
    { inputs: ['good.csv'], state: 'complete', rows: { read: 120, delivered: 120 }, next: null },
    { inputs: ['bad.csv'], state: 'stopped', left: 50, next: expect.stringMatching(/ resume$/) },
  ]);
});

test('the list counts what is left before and after a resume, with its command', async ({ cwd, there, signals }) => {
  there.fault = ({ n }) =>
    n === 2
      ? { status: 422, body: '{}' }
      : n > 3
        ? {
            status: 200,
            body: '{"success":true,"batchId":"b","stats":{"accepted":97,"deduplicated":0,"rejected":3}}',
          }
        : undefined;
  await write(cwd, 'events.csv', `${socialCsv(200)}linkedin,,Nobody\n`);
  await signals('upload', 'events.csv', '--concurrency', '1', '--quiet');
  expect(await printed(cwd, 'runs')).toMatch(/ events\.csv +100 +101 {2}.*signals\.js resume --refused\n/);
  await signals('resume', '--refused', '--quiet');
  const resumed = await runInProcess(cwd, ['runs']);
  expect(resumed.stdout).toMatch(/ events\.csv +200 +1 {2}.*signals\.js fix\n/);
  await writeCsv(cwd, 'signals.csv', 100);
  await signals('upload', 'signals.csv', '--quiet');
  const rejected = / signals\.csv +97 +3 {2}.*signals\.js runs explain\n/;
  expect(await printed(cwd, 'runs')).toMatch(rejected);
  // From the journals, without the catalogue.
  await rm(path.join(cwd, 'signals-runs', '.catalogue.ndjson'));
  expect(await printed(cwd, 'runs')).toMatch(rejected);
});

test('a killed run is told from its journal, and what was in flight is unknown', async ({ cwd, there, signals }) => {
  there.fault = ({ n }) => (n > 3 ? { hang: 'before' } : undefined);
  await write(cwd, 'in.csv', socialCsv(2000));
  const { child, ended } = signals.start('upload', 'in.csv', '--concurrency', '3');
  while (there.requests().length < 6) await sleep(20);
  await sleep(300);
  const print = async (...words: readonly string[]): Promise<string> => (await run(cwd, words)).stdout;
  const running = JSON.parse(await print('runs', 'show', 'last', '--json'));
  expect(running).toMatchObject({ state: 'running', balanced: true, next: null });
  const page = await print('report', 'last', '-o', '-');
  expect(page).toContain('<title>in.csv: running</title>');
  expect(page).toContain('A process is working on this run');
  child.kill('SIGKILL');
  await ended;
  await rename(path.join(cwd, 'in.csv'), path.join(cwd, 'moved.csv'));
  const shown = JSON.parse(await print('runs', 'show', 'last', '--json'));
  expect(shown).toMatchObject({ state: 'interrupted', balanced: true, rows: { delivered: 300, unknown: 300 } });
  expect(await print('runs', 'show', 'last')).toContain('was stopped immediately or killed');
  const killed = await print('report', 'last', '-o', '-');
  expect(killed).toContain('the process was stopped immediately or killed, or the machine went down');
  expect(killed).toMatch(/delivered<\/th><td class="number">300<[\s\S]*<code>[^<]* resume \S+</);
  const rows = (await print('runs', 'show', 'last', '--rows', 'unknown')).trimEnd().split('\n');
  expect(rows).toHaveLength(300);
  const known = /^in\.csv:(\d+) {2}batch (\d+): the program ended before the answer came$/.exec(rows[0] ?? '');
  // Batch n begins 100 rows behind the one in front of it, and the first row stands on line 2.
  expect(Number(known?.[1])).toBe(Number(known?.[2]) * 100 - 98);

  // Events that may have arrived are sent again only when asked.
  there.fault = undefined;
  const held = await signals('resume', 'last', '--input', 'in.csv=moved.csv', '--json');
  expectEnd(held, 4, { rows: { read: 2000, delivered: 1700, unknown: 300 } });
  const arrived = await timesDelivered(there, 'engager_name');
  expect(Math.max(...arrived.values())).toBe(1);
  const resent = await signals('resume', 'last', '--unknown', '--json');
  expectEnd(resent, 0, { rows: { delivered: 2000, unknown: 0 } });
});

test('rows are named by file and line, also of several lines, by their state', async ({ cwd, signals }) => {
  const text = csvOf(250, (n) =>
    n % 50 === 0
      ? `,x${n}.example,Title,news,2026-11-20`
      : n % 7 === 0
        ? `"Company\n${n}",c${n}.example,Title,news,2026-11-20`
        : plainRow(n),
  );
  await write(cwd, 'in.csv', text);
  await signals('upload', 'in.csv', '--quiet', '--skip', '3');
  const lines = async (state: string): Promise<readonly string[]> =>
    (await printed(cwd, 'runs', 'show', 'last', '--rows', state)).trimEnd().split('\n');
  /** The line on which row n starts, counted by hand from the text above. */
  const lineOf = (n: number): number =>
    1 + n + Array.from({ length: n - 1 }, (_, i) => i + 1).filter((i) => i % 7 === 0 && i % 50 !== 0).length;
  const expected = (keep: (n: number) => boolean): readonly string[] =>
    Array.from({ length: 250 }, (_, n) => n + 1)
      .filter(keep)
      .map((n) => `in.csv:${lineOf(n)}`);
  const places = async (state: string): Promise<readonly string[]> =>
    (await lines(state)).map((line) => line.split('  ')[0] ?? '');
  expect(await places('delivered')).toEqual(expected((n) => n > 3 && n % 50 !== 0));
  expect(await places('invalid')).toEqual(expected((n) => n % 50 === 0));
  expect(await places('skipped')).toEqual(expected((n) => n <= 3));
  expect((await lines('invalid'))[0]).toContain('company_name is missing');
  const { rows } = JSON.parse(await printed(cwd, 'runs', 'show', 'last', '--rows', 'invalid', '--json'));
  expect(rows[0]).toEqual({ source: 'in.csv', row: 50, line: lineOf(50), reason: 'company_name is missing' });
});

test('a folder that is no whole run is listed as what it is', async ({ cwd, signals }) => {
  await writeCsv(cwd, 'in.csv', 10);
  await signals('upload', 'in.csv', '--quiet');
  await rm(path.join(await runFolder(cwd), 'run.json'));
  const told = await runInProcess(cwd, ['runs']);
  expect(told.code).toBe(0);
  expect(told.stdout).toContain('cannot be read');
  expect((await runInProcess(cwd, ['runs', 'show', 'last'])).code).toBe(2);
});

test.each([
  ['lock', (folder: string) => mkdir(path.join(folder, 'lock'))],
  ['journal', (folder: string) => appendFile(path.join(folder, 'journal.ndjson'), notJson('{"event":'))],
])('a run folder with a strange %s hides no other run', async (_what, harm) => {
  const cwd = await workspace();
  const there = await service();
  const env = at(there);
  await writeCsv(cwd, 'in.csv', 10);
  await runInProcess(cwd, ['upload', 'in.csv', '--quiet', '--run-id', 'strange'], { env: withWrongKey(there) });
  await writeCsv(cwd, 'other.csv', 10, (n) => plainRow(n + 10));
  await runInProcess(cwd, ['upload', 'other.csv', '--quiet', '--run-id', 'other'], { env: withWrongKey(there) });
  await harm(path.join(cwd, 'signals-runs', 'strange'));
  const listed = await runInProcess(cwd, ['runs'], { env });
  expect(listed.code, listed.stderr).toBe(0);
  expect(listed.stdout).toContain('other.csv');
  expect((await runInProcess(cwd, ['runs', 'find', 'Company 11'], { env })).stdout).toContain('Company 11');
  expect((await runInProcess(cwd, ['runs', 'show', 'strange'], { env })).code).not.toBe(1);
  const resumed = await run(cwd, ['resume', '--all', '--quiet'], { env });
  expect(resumed.stderr).not.toContain('bug');
  expect((await timesDelivered(there, 'company_name')).get('Company 11')).toBe(1);
});

/** A line of text that is no JSON, with a right checksum. */
function notJson(body: string): string {
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}\n`;
}

test.each([3, 7])('resume --all goes on after a run whose results log fails at its call %d', async (call) => {
  const cwd = await workspace();
  const there = await service();
  for (const [n, id] of ['first', 'second'].entries()) {
    await writeCsv(cwd, `${id}.csv`, 10, (row) => plainRow(10 * n + row));
    await runInProcess(cwd, ['upload', `${id}.csv`, '--quiet', '--run-id', id, '--setting', 'retries=0'], {
      env: nowhere,
    });
  }
  const root = path.join(cwd, 'signals-runs', 'first', 'results.csv');
  const fault = { root, log: path.join(cwd, 'calls'), at: call, code: 'EIO' };
  const preload = new URL('../chaos/failing-files.js', import.meta.url).href;
  const env = { ...at(there), NODE_OPTIONS: `--import ${preload}`, SIGNALS_FAULT: JSON.stringify(fault) };
  await run(cwd, ['resume', '--all', '--base-url', there.url, '--yes'], { env });
  expect(await readFile(fault.log, 'utf8')).toContain('EIO');
  expect((await timesDelivered(there, 'company_name')).get('Company 15')).toBe(1);
});

test('a row that several files of a run have is found once', async ({ cwd, there, signals }) => {
  there.fault = () => ({ status: 422 });
  await writeCsv(cwd, 'gone.csv', 9);
  await writeCsv(cwd, 'here.csv', 3, (n) => plainRow(n + 20));
  await signals('upload', 'gone.csv', 'here.csv', '--setting', 'canary=no', '--quiet');
  await rm(path.join(cwd, 'gone.csv'));
  const find = async (what: string): Promise<string> => await printed(cwd, 'runs', 'find', 'last', what);
  expect((await find('Company 21')).match(/^here\.csv/gm)).toHaveLength(1);
  expect((await find('Company 7')).match(/^gone\.csv/gm)).toHaveLength(1);
});

test('a row is found by its line, and by what stands in it, wherever it is now', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 250, (n) => (n === 77 ? 'Bad 77,x.example,,funding,2026-11-20' : plainRow(n)));
  await runInProcess(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--quiet'], { env: nowhere });
  const found = async (what: string): Promise<string> => await printed(cwd, 'runs', 'find', 'last', what);
  expect(await found('in.csv:151')).toMatch(/^in\.csv:151 {2}exhausted, batch 2: /);
  expect(await found('in.csv:78')).toMatch(/^in\.csv:78 {2}invalid, signal_title is missing/);
  expect(await found('in.csv:1')).toContain('no row');
  expect(await found('company 150,')).toMatch(/^in\.csv:151 {2}exhausted, .*"\n$/);
  expect(await found('Nobody of that name')).toContain('Not found');
  // With the row, and as whole words: 15 and 150 are in 150, and 150 is not in 15.
  expect(await found('in.csv:151')).toContain('  "Company 150, company150.example, Raised a round, ');
  expect((await found('Company 15')).trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^in\.csv:16 .*"Company 15, /),
  ]);
  await rm(path.join(cwd, 'in.csv'));
  expect(await found('Company 150')).toMatch(/^in\.csv:151 {2}exhausted, .*\[undelivered\]\n/);
  expect(await found('Bad 77')).toMatch(/^in\.csv:78 {2}invalid, .*\[rejects\]\n/);
  expect(await found('Company 150')).toContain('Not searched: in.csv');
  const resumed = await signals('resume', 'last', '--base-url', there.url, '--yes', '--quiet');
  expect(resumed.code).toBe(3);
  const told = await runInProcess(cwd, ['runs', 'find', 'last', 'in.csv:151', '--json']);
  expect(JSON.parse(told.stdout).runs).toMatchObject([{ rows: [{ line: 151, state: 'delivered' }] }]);
});

describe('a line on which no row is', () => {
  // Row 2 has three lines, one of them blank; there is a blank line in front of it, and two at the end.
  const head = 'company_name,company_domain,signal_title,signal_source';
  const text = `${head}\nA,a.example,T,news\n\nB,b.example,"T\n\nU",news\n,c.example,T,news\nD,d.example,T,news\n\n\n`;
  const find = async (cwd: string, what: string, ...more: readonly string[]) =>
    runInProcess(cwd, ['runs', 'find', 'last', what, ...more]);

  test('is told from the lines of a row', async ({ cwd, signals }) => {
    await write(cwd, 'in.csv', text);
    await signals('upload', 'in.csv', '--quiet');
    const rows = { 2: 2, 4: 4, 5: 4, 6: 4, 7: 7, 8: 8 };
    for (const [line, first] of Object.entries(rows)) {
      expect((await find(cwd, `in.csv:${line}`)).stdout).toMatch(new RegExp(`^in\\.csv:${first} {2}`));
    }
    for (const line of [0, 1, 3, 9, 10, 11, 99]) {
      const { code, stdout } = await find(cwd, `in.csv:${line}`);
      expect(code).toBe(1);
      const why = line > 10 ? 'after the last row' : 'blank or the header';
      expect(stdout).toBe(`There is no row at in.csv:${line}: the line is ${why}.\n`);
    }
    expect((await find(cwd, 'other.csv:2')).stdout).toContain('Not found: "other.csv:2"');
    // Without the input, a blank line looks like one of the row before it, and the output says so.
    await rm(path.join(cwd, 'in.csv'));
    expect((await find(cwd, 'in.csv:99')).stdout).toMatch(/^There is no row at in\.csv:99: .*\nNot searched: in\.csv/);
    expect((await find(cwd, 'in.csv:5')).stdout).toMatch(/^in\.csv:4 {2}.*\nNot searched: in\.csv/);
  }, 300_000);

  test('is one that the run has not read yet', async ({ cwd, there, signals }) => {
    there.fault = ({ n }) => (n === 2 ? { status: 500 } : undefined);
    await writeCsv(cwd, 'in.csv', 300);
    const wrong = withWrongKey(there);
    await runInProcess(cwd, ['upload', 'in.csv', '--batch-size', '10', '--concurrency', '1', '--quiet'], {
      env: wrong,
    });
    expect((await find(cwd, 'in.csv:301')).stdout).toMatch(
      /^There is no row at in\.csv:301: the line was not read\.$/m,
    );
    await signals('resume', 'last', '--setting', 'retries=0', '--quiet');
    await signals('resume', 'last', '--quiet');
    expect((await find(cwd, 'in.csv:2')).stdout).toMatch(/^in\.csv:2 {2}delivered/);
    expect((await find(cwd, 'in.csv:301')).stdout).toMatch(/^in\.csv:301 {2}delivered/);
  });

  test('is looked for in several files of the same name, unless one is named', async ({ cwd, signals }) => {
    for (const name of ['a', 'b']) {
      await mkdir(path.join(cwd, name));
      await writeCsv(cwd, `${name}/in.csv`, 2);
    }
    await signals('upload', 'a/in.csv', 'b/in.csv', '--quiet');
    expect((await find(cwd, 'in.csv:2')).stdout).toMatch(/^a\/in\.csv:2 {2}delivered.*\nb\/in\.csv:2 {2}delivered/);
    expect((await find(cwd, 'b/in.csv:2')).stdout).toMatch(/^b\/in\.csv:2 {2}delivered/);
  });
});

test('a text is found in an input that is compressed, and in one of another encoding', async ({ cwd, signals }) => {
  const text = csvOf(40).replace('Company 17,', '"Müller\n& Söhne",');
  await write(cwd, 'packed.csv.gz', gzipSync(text));
  await write(cwd, 'wide.csv', Buffer.from(`\ufeff${text}`, 'utf16le'));
  await write(cwd, 'old.csv', Buffer.from(text, 'latin1'));
  await write(cwd, 'mac.csv', text.replaceAll('\n', '\r'));
  for (const [name, ...more] of [
    ['packed.csv.gz'],
    ['wide.csv'],
    ['old.csv', '--encoding', 'windows-1252'],
    ['mac.csv'],
  ] as const) {
    expect((await signals('upload', name, '--quiet', ...more)).code).toBe(0);
    const found = await runInProcess(cwd, ['runs', 'find', 'last', 'söhne']);
    expect(found.stdout).toMatch(new RegExp(`^${name.replaceAll('.', '\\.')}:18 {2}delivered, .*"\n$`));
  }
});

test('a row is found once if the rest of its input has become unreadable', async ({ cwd, signals }) => {
  const packed = gzipSync(
    csvOf(20_000)
      .replace('Company 17,', 'Müller,')
      .replace(/(?<=^Müller,[^,]*,)[^,]*/m, ''),
  );
  await write(cwd, 'in.csv.gz', packed);
  expect((await signals('upload', 'in.csv.gz', '--quiet')).code).toBe(3);
  await write(cwd, 'in.csv.gz', packed.fill(0, packed.length - 1000));
  const found = await runInProcess(cwd, ['runs', 'find', 'last', 'müller']);
  expect(found.stdout).toMatch(/^in\.csv\.gz:18 {2}invalid, [^\n\\]* {2}\[rejects\]\nNot searched: [^\n]*\n$/);
});

describe('a text is looked for in all runs', () => {
  const find = async (cwd: string, ...words: readonly string[]) => runInProcess(cwd, ['runs', 'find', ...words]);

  /** Two runs of files with one name, and one of the rows that the first one rejected. */
  const threeRuns = async (cwd: string) => {
    const there = await service();
    await writeCsv(cwd, 'in.csv', 5, (n) => (n === 3 ? 'Café Müller,old.example,,news,2026-11-20' : plainRow(n)));
    await runInProcess(cwd, ['upload', 'in.csv', '--run-id', 'first', '--quiet'], { env: at(there) });
    const rejects = path.join(cwd, 'signals-runs/first/rejects/in.csv');
    await write(
      cwd,
      'signals-runs/first/rejects/in.csv',
      (await readFile(rejects, 'utf8')).replace('old.example,,', 'cafe.example,A,'),
    );
    await runInProcess(cwd, ['upload', 'signals-runs/first/rejects/in.csv', '--run-id', 'second', '--quiet'], {
      env: at(there),
    });
    await writeCsv(cwd, 'other.csv', 3);
    await runInProcess(cwd, ['upload', 'other.csv', '--run-id', 'third', '--quiet'], { env: at(there) });
  };

  test('without case and accents, with the run of each row', async ({ cwd }) => {
    await threeRuns(cwd);
    const found = await find(cwd, 'CAFE muller');
    expect(found.code).toBe(0);
    expect(found.stdout.split('\n')).toEqual([
      'first',
      expect.stringMatching(
        /^ {2}in\.csv:4 {2}invalid, .*; then delivered by second {2}"Café Müller, old\.example, .*"$/,
      ),
      'second',
      expect.stringMatching(
        /^ {2}signals-runs\/first\/rejects\/in\.csv:2 {2}delivered, .*Café Müller, cafe\.example, A, .*"$/,
      ),
      '',
    ]);
    const { runs } = JSON.parse((await find(cwd, 'Company 2', '--json')).stdout);
    expect(runs).toMatchObject([
      { run: 'first', sandbox: false, rows: [{ line: 3, state: 'delivered' }] },
      { run: 'third', sandbox: false, rows: [{ line: 3, state: 'delivered' }] },
    ]);
  });

  test('a line in the run that has read the file, with the upload of its rejects file', async ({ cwd }) => {
    await threeRuns(cwd);
    expect((await find(cwd, 'in.csv:4')).stdout).toMatch(
      /^first\n {2}in\.csv:4 {2}invalid, .*; then delivered by second .*\n$/,
    );
    const resumed = await run(cwd, ['resume', 'first']);
    expect(resumed.stdout).toMatch(/^Nothing was sent now\. 5 of 5 rows delivered to \S+; 1 of them by the upload/);
    expect(resumed.stdout).not.toContain('Fix ');
    expect((await find(cwd, 'other.csv:2')).stdout).toMatch(/^third\n {2}other\.csv:2 {2}delivered.*\n$/);
    const none = await find(cwd, 'other.csv:9');
    expect(none.code).toBe(1);
    expect(none.stdout).toContain('There is no row at other.csv:9 in 1 run of signals-runs: ');
  });

  test('exit code 1 if no run has it, and 2 for several words without quotes', async ({ cwd }) => {
    expect((await find(cwd, 'Acme')).code).toBe(1);
    await threeRuns(cwd);
    const none = await find(cwd, 'Nobody');
    expect(none.code).toBe(1);
    expect(none.stdout).toBe('Not found: "Nobody" (as whole words) in 3 runs of signals-runs.\n');
    const several = await find(cwd, 'Acme', 'Inc', 'Ltd');
    expect(several.code).toBe(2);
    expect(several.stderr).toContain("runs find 'Acme Inc Ltd'`");
  });

  test('an input with other bytes than the run has read is not taken for it', async ({ cwd }) => {
    await threeRuns(cwd);
    // Of the same size: its rows are not those of the run.
    const text = await readFile(path.join(cwd, 'other.csv'), 'utf8');
    await write(cwd, 'other.csv', text.replace('Company 2', 'Comrade 2'));
    const found = await find(cwd, 'Comrade 2');
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/\nNot searched: other\.csv is missing or has changed\.\n$/);
    // The rejects file of the first run still has its row.
    await rm(path.join(cwd, 'in.csv'));
    expect((await find(cwd, 'muller')).stdout).toMatch(/^first\n {2}in\.csv:4 {2}invalid, .*\[rejects\]\nsecond\n/);
    await rm(path.join(cwd, 'signals-runs/third/run.json'));
    expect((await find(cwd, 'muller')).stdout).toMatch(/Not searched: .*third is not a run folder/);
  });
});

test('a run counts what the uploads of its rejects, and of theirs, have delivered', async ({ cwd, signals }) => {
  const noCompany = (n: number): string => plainRow(n).replace(/^Company \d+/, '');
  await writeCsv(cwd, 'a.csv', 8, (n) => (n % 3 === 0 ? noCompany(n) : plainRow(n)));
  await signals('upload', 'a.csv', '--run-id', 'first', '--quiet');
  await writeCsv(cwd, 'new.csv', 5, (n) => plainRow(n + 20));
  // What it delivers is of the other file.
  await signals('upload', 'signals-runs/first/rejects/a.csv', 'new.csv', '--run-id', 'mixed', '--quiet');
  expect((await run(cwd, ['runs', 'show', 'first'])).stdout).toContain('6 of 8 rows');
  await signals('upload', 'signals-runs/first/rejects/a.csv', '--run-id', 'uncorrected', '--quiet');
  for (const [before, id, n, shown] of [
    ['first', 'second', 3, '7 of 8 rows'],
    ['second', 'third', 6, '8 of 8 rows'],
  ] as const) {
    const rejects = `signals-runs/${before}/rejects/a.csv`;
    const text = await readFile(path.join(cwd, rejects), 'utf8');
    await write(cwd, rejects, text.replace(`,,company${n}.`, `,Company ${n},company${n}.`));
    await signals('upload', rejects, '--run-id', id, '--quiet');
    expect(await printed(cwd, 'runs', 'show', 'first')).toContain(shown);
    const found = await runInProcess(cwd, ['runs', 'find', 'first', `a.csv:${n + 1}`]);
    expect(found.stdout).toMatch(`; then delivered by ${id} `);
  }
  expect(await printed(cwd, 'runs', 'find', 'second', 'signals-runs/first/rejects/a.csv:3')).toMatch(
    /:3 {2}invalid, .*; then delivered by third /,
  );
  // The name alone is that of the first input, of which the second run has read no line.
  expect((await runInProcess(cwd, ['runs', 'find', 'second', 'a.csv:3'])).code).toBe(1);
  const listed = await printed(cwd, 'runs');
  expect(listed).toMatch(/ first +a\.csv +8 *\n/);
  expect(listed).toMatch(/ uncorrected +rejects of a\.csv +0 +Nothing left here: the later run second replaced it\.\n/);
  expect(listed).toMatch(/ second +rejects of a\.csv +2 *\n/);
  const shown = await printed(cwd, 'runs', 'show', 'first');
  expect(shown).toMatch(/^8 of 8 rows delivered .*\n\nRows\n(?:.*\n)+\nWhy rows were not delivered at first\n/);
  expect(await printed(cwd, 'report', 'first', '-o', '-')).toContain('Why rows were not delivered at first');
});

test('the list says when a command is right that may send events twice', async ({ cwd, there, signals }) => {
  there.fault = ({ n }) => (n === 2 ? { cut: true } : undefined);
  await write(cwd, 'in.csv', socialCsv(300));
  await signals('upload', 'in.csv', '--concurrency', '1', '--quiet');
  // The end of a default id.
  expect(await printed(cwd, 'runs')).toMatch(
    / [0-9a-f]{4} {2}in\.csv +200 +100 {2}If they arrived, nothing is left to do\. If they did not: .* resume --unknown\n/,
  );
  const rows = await printed(cwd, 'runs', 'show', '--rows', 'unknown');
  expect(rows).toMatch(/^in\.csv:102 {2}batch 2: HTTP 200 with a truncated body\n/);

  // With refused events too, something is left in any case.
  there.fault = ({ n }) => (n === 5 ? { cut: true } : n === 6 ? { status: 422 } : undefined);
  await write(cwd, 'more.csv', socialCsv(300).replaceAll('linkedin', 'twitter'));
  const ending = await signals('upload', 'more.csv', '--concurrency', '1');
  const commands = [
    /Once the cause is fixed:\s+\S+ \S+signals\.js resume --refused/,
    /did not:\s+\S+ \S+signals\.js resume --unknown/,
  ];
  for (const { stdout } of [ending, await runInProcess(cwd, ['runs', 'show']), await runInProcess(cwd, ['runs'])]) {
    for (const command of commands) expect(stdout).toMatch(command);
    expect(stdout).toContain('If the 100 that may have arrived did not:');
  }
});

test('of an input of which no row was accounted for, what is left is an estimate', async ({ cwd, signals }) => {
  await writeCsv(cwd, 'in.csv', 40, (n) => (n <= 5 ? plainRow(n).replace('funding', 'winning') : plainRow(n)));
  expect((await signals('upload', 'in.csv', '--max-invalid', '3', '--quiet')).code).toBe(6);
  expect(await printed(cwd, 'runs')).toMatch(/ in\.csv +0 +~40 {2}/);
  expect(await printed(cwd, 'runs', 'show')).toContain('Rows\n  40  unread  not read (estimated)\n');
});

test('of a run with nothing left to send, pack names no command that would finish it', async ({ cwd, signals }) => {
  await writeCsv(cwd, 'in.csv', 3);
  await signals('upload', 'in.csv', '--quiet');
  for (const more of [[], ['--hand-over', '--yes']]) {
    const packed = await runInProcess(cwd, ['runs', 'pack', 'last', '--to', `${more.length}.tar.gz`, ...more]);
    expect(packed.code).toBe(0);
    expect(packed.stdout).toContain('The run has nothing left to send.');
    expect(packed.stdout).not.toMatch(/resume|replay|--hand-over/);
  }
});

test('a run is packed, finished by somebody else, and left alone from then on', async ({ cwd, there, signals }) => {
  const other = await workspace();
  const wrong = withWrongKey(there);
  await writeCsv(cwd, 'a file with a very long name, and an é.csv', 700);
  await runInProcess(cwd, ['upload', 'a file with a very long name, and an é.csv', '--quiet'], { env: wrong });
  const id = path.basename(await runFolder(cwd));
  const pack = ['runs', 'pack', 'last', '--hand-over'];
  expect((await runInProcess(cwd, ['runs', 'pack', 'last'])).code).toBe(0);
  const clash = await run(cwd, [...pack, '--to', `${id}.tar.gz`]);
  expect(clash.stderr).toContain('The file already exists.');
  const unasked = await run(cwd, [...pack, '--to', 'unasked.tar.gz']);
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain('--yes');
  expect(await readdir(cwd)).not.toContain('unasked.tar.gz');
  const packed = await run(cwd, [...pack, '--to', 'run.tar.gz', '--yes', '--json']);
  expect(packed.code).toBe(0);
  // Of another archive that was to have that name.
  await write(cwd, 'run.tar.gz.tmp', '');
  await rename(path.join(cwd, 'run.tar.gz'), path.join(cwd, 'sent.tar.gz'));
  for (const word of ['resume', 'replay']) {
    const refused = await signals(word, 'last');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`${id} may not be sent from this folder`);
    expect(refused.stderr).toContain(path.join(cwd, 'run.tar.gz'));
  }
  expect(await printed(cwd, 'runs')).toContain('Handed over on ');
  expect((await signals('resume', '--all', '--quiet')).code).toBe(0);

  // An independent reader of archives.
  execFileSync('tar', ['-xzf', path.join(cwd, 'sent.tar.gz'), '-C', other]);
  await rm(path.join(cwd, 'a file with a very long name, and an é.csv'));
  const ended = await run(other, ['resume', id, '--out', '.', '--json'], { env: at(there) });
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout).rows).toMatchObject({ read: 700, delivered: 700 });

  // As if that hand-over had been killed. A folder from another person could name any file as its draft.
  await writeCsv(cwd, 'a file with a very long name, and an é.csv', 700);
  await write(cwd, `run.tar.gz.${id}.tmp`, '');
  expect((await run(cwd, ['resume', 'last', '--quiet'], { env: wrong })).code).toBe(5);
  expect(await readdir(cwd)).toContain(`run.tar.gz.${id}.tmp`);
});

test('an unfinished run is not handed over with another input than it read', async ({ cwd, there }) => {
  const read = csvOf(700);
  const [archive, id] = ['run.tar.gz', 'unfinished'];
  await write(cwd, 'in.csv', read);
  await runInProcess(cwd, ['upload', 'in.csv', '--run-id', id, '--quiet'], { env: withWrongKey(there) });
  const pack = ['runs', 'pack', id, '--to', archive, '--hand-over', '--yes', '--json'];
  const refuse = async (what: string): Promise<void> => {
    const { code, stdout } = await run(cwd, pack);
    expect(code).toBe(2);
    expect(JSON.parse(stdout).errors).toMatchObject([
      {
        code: 'resume.changed',
        where: 'in.csv',
        message: expect.stringContaining(what),
        hint: expect.stringContaining('to `resume` or `runs explain` with --input OLD=NEW'),
      },
    ]);
    expect(await readdir(cwd)).not.toContain(archive);
  };

  // As long as before.
  await write(cwd, 'in.csv', read.replace('Company 1,', 'Compane 1,'));
  await refuse('The input has changed since the run began: its beginning differs.');
  await writeCsv(cwd, 'in.csv', 699);
  await refuse('bytes and now has');
  await rm(path.join(cwd, 'in.csv'));
  await refuse('it no longer exists.');

  await write(cwd, 'in.csv', read);
  expect((await run(cwd, ['resume', id, '--quiet'], { env: withWrongKey(there) })).code).toBe(5);
  expect((await run(cwd, pack)).code).toBe(0);
});

test('prune needs a unit, and deletes nothing without a confirmation', async ({ cwd }) => {
  await writeCsv(cwd, 'in.csv', 10);
  await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--quiet']);
  const bare = await runInProcess(cwd, ['runs', 'prune', '--older-than', '0', '--yes']);
  expect(bare.code).toBe(2);
  expect(bare.stderr).toContain('--older-than: Found "0", expected a duration with a unit, such as 30d or 12h.');
  for (const json of [[], ['--json']]) {
    const unasked = await runInProcess(cwd, ['runs', 'prune', '--older-than', '0s', ...json]);
    expect(unasked.code).toBe(2);
    expect(unasked.stderr).toContain('--yes');
  }
  const [id = ''] = await runIds(cwd);
  const listed = await runInProcess(cwd, ['runs', 'prune', '--older-than', '0s']);
  expect(listed.stdout).toContain(id);
  expect(await runIds(cwd)).toEqual([id]);
  expect((await runInProcess(cwd, ['runs', 'prune', '--older-than', '0s', '--yes'])).code).toBe(0);
  expect(await runIds(cwd)).toEqual([]);
});

test.each([
  ['y', []],
  ['n', [expect.any(String)]],
])('prune lists what it would delete on a terminal, and asks: %s', async (key, left) => {
  const cwd = await workspace();
  await writeCsv(cwd, 'in.csv', 10);
  await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--quiet']);
  const [id = ''] = await runIds(cwd);
  const fake = fakeStreams({ terminal: true, noColor: true });
  fake.answer('Delete 1 run', key);
  const argv = ['runs', 'prune', '--older-than', '0s', '--out', path.join(cwd, 'signals-runs')];
  const context = { streams: fake.streams, env: { HOME: cwd }, argv, invocation: 'signals', shell: 'posix' } as const;
  const signal = new AbortController().signal;
  const ran = runCli(argv, { ...context, signal, takeSignals: () => undefined });
  if (key === 'y') expect(await ran).toBe(0);
  else await expect(ran).rejects.toThrow(Cancelled);
  expect(fake.out()).toContain(`${id}: `);
  expect(await runIds(cwd)).toEqual(left);
});

test('old runs are removed, and what is not complete is kept', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'done.csv', 10);
  await writeCsv(cwd, 'open.csv', 20);
  await signals('upload', 'done.csv', '--quiet');
  await runInProcess(cwd, ['upload', 'open.csv', '--setting', 'retries=0', '--quiet'], { env: nowhere });
  expect((await runInProcess(cwd, ['runs', 'prune'])).code).toBe(2);
  const young = await runInProcess(cwd, ['runs', 'prune', '--older-than', '1h', '--json']);
  expect(JSON.parse(young.stdout)).toMatchObject({ removed: [], bytes: 0 });
  const left = async (): Promise<readonly string[]> =>
    (await readdir(path.join(cwd, 'signals-runs'))).filter((name) => !name.startsWith('.'));
  await runInProcess(cwd, ['runs', 'prune', '--older-than', '0s', '--dry-run']);
  expect(await left()).toHaveLength(2);
  const told = await runInProcess(cwd, ['runs', 'prune', '--older-than', '0s', '--yes']);
  expect(told.stdout).toMatch(/1 run \(\d.*\) deleted; 1 run kept/);
  expect(told.stdout).toContain('is unfinished');
  expect(await left()).toEqual([expect.stringContaining('-open-')]);
  // With a resume all of it is delivered: then it goes.
  await signals('resume', 'last', '--base-url', there.url, '--yes', '--quiet');
  const rest = JSON.parse(await printed(cwd, 'runs', 'prune', '--older-than', '0s', '--yes', '--json'));
  expect(rest).toMatchObject({ removed: [{}], kept: [] });
  expect(await left()).toEqual([]);
});

test('a run that went to the sandbox says so wherever it is shown', async ({ cwd }) => {
  await writeCsv(cwd, 'in.csv', 3);
  expect((await run(cwd, ['upload', 'in.csv', '--sandbox'])).stdout).toContain('3 of 3 rows delivered to the sandbox');
  const print = async (...words: readonly string[]): Promise<string> => (await run(cwd, words)).stdout;
  expect(await print('runs')).toContain('in.csv (sandbox)');
  expect(await print('runs', 'show')).toContain('delivered to the sandbox');
  expect(await print('runs', 'find', 'last', 'in.csv:2')).toMatch(/^in\.csv:2 {2}delivered to the sandbox/);
  expect(await print('report', 'last', '-o', '-')).toContain('<h1>3 of 3 rows delivered to the sandbox in ');
  expect(JSON.parse(await print('runs', 'show', '--json'))).toMatchObject({ sandbox: true });
  for (const words of [['runs'], ['runs', 'find', 'last', 'in.csv:2']]) {
    expect(JSON.parse(await print(...words, '--json')).runs).toMatchObject([{ sandbox: true }]);
  }
});
