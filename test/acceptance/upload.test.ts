/** The acceptance lines of the main job. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import {
  at,
  csvOf,
  everythingIn,
  expectEnd,
  plainRow,
  printed,
  readRun,
  recordsAt,
  run,
  runFolder,
  runInProcess,
  service,
  summaryOf,
  test,
  write,
  writeCsv,
} from '../support/program.ts';

describe('a file of 658 rows of which 50 lack required values', () => {
  /** Every thirteenth row has no company, until there are 50; some cells before it span lines. */
  const isFaulty = (n: number): boolean => n % 13 === 0 && n <= 650;
  const row = (n: number): string => {
    if (isFaulty(n)) return `,company${n}.example,Raised a round,funding,2026-11-20T09:15:00Z`;
    return n % 10 === 0
      ? `"Company\n${n}",company${n}.example,Raised a round,funding,2026-11-20T09:15:00Z`
      : plainRow(n);
  };
  /** Computed from the rows themselves: the header is line 1, and each multi-line cell adds one. */
  const faultyLines = (): number[] => {
    const lines: number[] = [];
    let line = 2;
    for (let n = 1; n <= 658; n += 1) {
      if (isFaulty(n)) lines.push(line);
      line += row(n).split('\n').length;
    }
    return lines;
  };

  test('makes 7 requests, lists 50 rejects with their lines, and exits with 3', async ({ cwd, there, signals }) => {
    await writeCsv(cwd, 'in.csv', 658, row);
    const ended = await signals('upload', 'in.csv', '--json');

    expectEnd(ended, 3, {
      exitCode: 3,
      requests: 7,
      rows: { read: 658, invalid: 50, delivered: 608, pending: 0 },
      batches: { sealed: 7, delivered: 7 },
      inputs: [{ source: 'in.csv', bytesUnread: 0 }],
    });
    expect(there.requests()).toHaveLength(7);
    expect(
      there
        .requests()
        .map(({ records }) => records)
        .toSorted((a, b) => a - b),
    ).toEqual([8, 100, 100, 100, 100, 100, 100]);

    const rejects = (await readRun(cwd, 'rejects/in.csv')).replace('\u{feff}', '').trimEnd().split('\r\n');
    expect(rejects[0]).toBe('_line,_reason,company_name,company_domain,signal_title,signal_source,detected_at');
    expect(rejects.slice(1).map((line) => Number(line.split(',')[0]))).toEqual(faultyLines());
    expect(rejects[1]).toContain('company_name is missing');
    expect((await readRun(cwd, 'results.csv')).trimEnd().split('\r\n')).toHaveLength(1 + 7);
  });
});

test('a header alone sends nothing, says so, and exits with 0', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 0);
  const ended = await signals('upload', 'in.csv');
  expect(ended.code).toBe(0);
  expect(ended.stdout).toContain('Nothing to send: in.csv has no rows.');
  expect(there.requests()).toHaveLength(0);
});

test('the same input, mapping and settings make the same requests, byte for byte', async ({ cwd }) => {
  const one = await service();
  const other = await service();
  await writeCsv(cwd, 'in.csv', 250);
  await runInProcess(cwd, ['upload', 'in.csv', '--concurrency', '1', '--quiet'], { env: at(one) });
  await runInProcess(cwd, ['upload', 'in.csv', '--concurrency', '1', '--quiet'], { env: at(other) });
  expect(one.requests().map(({ digest }) => digest)).toEqual(other.requests().map(({ digest }) => digest));
  expect(one.requests()).toHaveLength(3);
});

test('several files are one run; a batch may hold rows of two of them', async ({ cwd, signals }) => {
  await writeCsv(cwd, 'a.csv', 70, (n) => plainRow(n));
  await writeCsv(cwd, 'b.csv', 70, (n) => plainRow(n + 1000));
  const ended = await signals('upload', 'a.csv', 'b.csv', '--json');
  expectEnd(ended, 0, { rows: { read: 140, delivered: 140 }, batches: { sealed: 2 } });
  expect(await readRun(cwd, 'results.csv')).toContain(',a.csv; b.csv,2 to 71; 2 to 31,');
});

test('a field that is left out although a column might fit is a warning, but not with -m', async ({ cwd }) => {
  const names = 'company_name,signal_title,signal_source';
  const header = `${names},detected_at`;
  await write(cwd, 'in.csv', `${names},Created\nAcme,Raised a round,news,2026-04-03\n`);
  const ended = await run(cwd, ['upload', 'in.csv', '--sandbox', '--json']);
  expect(ended.code).toBe(0);
  const warnings = [{ code: 'mapping.left_out', message: expect.stringContaining('detected_at is left out') }];
  expect(summaryOf(ended)).toMatchObject({ rows: { delivered: 1 }, warnings });
  const shown = await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--run-id', 'r']);
  expect(shown.stdout).toContain('detected_at is left out');
  expect(shown.stderr).not.toContain('detected_at is left out');
  expect(shown.stdout).not.toContain('Nothing left to do');
  expect(await printed(cwd, 'check', 'in.csv')).not.toContain('No problems found');
  const mapped = await runInProcess(cwd, [
    'upload',
    'in.csv',
    '--sandbox',
    '--json',
    '-m',
    'signals-runs/r/mapping.yaml',
  ]);
  expect(summaryOf(mapped)).toMatchObject({ warnings: [] });
  await write(
    cwd,
    'odd.csv',
    `${header}\n${'Acme,Raised a round,news,2026-10-01T10:00:00Z\n'.repeat(9)}Acme,Grows,news,soon\n`,
  );
  const odd = await runInProcess(cwd, ['upload', 'odd.csv', '--sandbox', '--json']);
  expectEnd(odd, 3, { rows: { delivered: 9, invalid: 1 }, warnings: [] });
});

test('dates that can be read in two ways are sent only as the user says, or left out by a mapping', async ({ cwd }) => {
  await write(cwd, 'in.csv', 'company_name,signal_title,signal_source,Published\nAcme,Raised a round,news,5/11/2026\n');
  const refused = await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--quiet']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    'detected_at needs your answer. "Published": the format could be M/d/yyyy or d/M/yyyy.',
  );
  expect(refused.stderr).toMatch(/day first: 5\/11\/2026 -> 5 November 2026\n.*format: d\/M\/yyyy/);
  const answer = ['-c', 'detected_at={ column: Published, as: date, format: d/M/yyyy }'];
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', ...answer])).code).toBe(0);
  expect((await runInProcess(cwd, ['map', 'in.csv', '--accept', '-o', 'm.yaml'])).code).toBe(0);
  const without = await runInProcess(cwd, ['upload', 'in.csv', '--sandbox', '--json', '-m', 'm.yaml']);
  expect(summaryOf(without)).toMatchObject({ rows: { delivered: 1 }, warnings: [] });
});

test('--skip-bad-files sends the good files, names the others, and is exit code 3', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'good.csv', 3);
  await write(cwd, 'empty.csv', '');
  await write(cwd, 'other.csv', 'Invoice,Total\n17,200\n');
  const files = ['good.csv', 'empty.csv', 'other.csv', 'missing.csv'];
  const ended = await signals('upload', ...files, '--skip-bad-files', '--run-id', 'r', '--json');
  expect(ended.code).toBe(3);
  expect(ended.stderr.match(/'empty\.csv' is empty/g)).toHaveLength(1);
  const summary = summaryOf(ended);
  const skipped = (where: string) => ({ where, message: expect.stringMatching(/^Skipped this file\. /) });
  expect(summary).toMatchObject({ exitCode: 3, state: 'complete', next: null, rows: { read: 3, delivered: 3 } });
  expect(summary).toMatchObject({ warnings: ['missing.csv', 'empty.csv', 'other.csv'].map(skipped) });
  for (const command of [
    ['resume', 'r'],
    ['check', ...files, '--skip-bad-files'],
  ]) {
    expect(await signals(...command, '--json')).toMatchObject({ code: 3 });
  }
  const shown = await runInProcess(cwd, ['runs', 'show', 'r', '--json']);
  expect(shown.stdout).toContain('Skipped this file.');
  const none = await signals('upload', 'empty.csv', 'missing.csv', '--skip-bad-files');
  expect(none.code).toBe(2);
  expect(there.requests()).toHaveLength(1);
});

test('columns, constants and a mapping file lead to the same record', async ({ cwd, there, signals }) => {
  await write(cwd, 'in.csv', 'Account,Headline\nAcme,Raised a round\n');
  await write(
    cwd,
    'map.yaml',
    'type: signals\nfields:\n  company_name: Account\n  signal_title: Headline\n  signal_source: { value: news }\n',
  );
  const byFlags = ['-c', 'company_name=Account', '-c', 'signal_name=headline', '--set', 'source=news'];
  await signals('upload', 'in.csv', ...byFlags, '--quiet');
  await signals('upload', 'in.csv', '-m', 'map.yaml', '--quiet');
  const missing = await signals('upload', 'in.csv', '-m', 'none.yaml');
  expect(missing.stderr).toContain("Mapping file 'none.yaml' does not exist.");
  const [one, other] = there.requests();
  expect(one?.digest).toBe(other?.digest);
  const [first] = await recordsAt(there);
  expect(first).toEqual({ company_name: 'Acme', signal_name: 'Raised a round', source: 'news' });
});

test('the run folder has the files and the modes that the contract names', async ({ cwd, signals }) => {
  await write(cwd, 'in.csv', `${csvOf(3)},x.example,no company,news,2026-11-20\n`);
  await signals('upload', 'in.csv', '--quiet');
  const folder = await runFolder(cwd);
  expect((await readdir(folder)).toSorted()).toEqual([
    'journal.ndjson',
    'mapping.yaml',
    'rejects',
    'results.csv',
    'run.json',
    'summary.json',
  ]);
  const { stat } = await import('node:fs/promises');
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const name of ['journal.ndjson', 'run.json', 'summary.json', 'results.csv', 'mapping.yaml', 'rejects/in.csv']) {
    expect((await stat(path.join(folder, name))).mode & 0o777, name).toBe(0o600);
  }
  expect(await readFile(path.join(cwd, 'signals-runs', '.gitignore'), 'utf8')).toBe('*\n');
  expect(await everythingIn(cwd)).not.toContain('right-key');
});
