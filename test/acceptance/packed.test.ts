/** Inputs that are packed: archives with tables in them, and Parquet. The service is the witness. */
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect } from 'vitest';
import {
  at,
  csvOf,
  expectEnd,
  printed,
  program,
  readRun,
  root,
  run,
  runFolder,
  runInProcess,
  summaryOf,
  test,
  timesDelivered,
  withWrongKey,
  workspace,
  write,
} from '../support/program.ts';
import { zipOf } from '../support/zip.ts';

const BAD = 'x.example,no company,news,2026-11-20T09:15:00Z';
/** Rows of another range of numbers than those of `csvOf(rows)`. */
const more = (rows: number): string =>
  csvOf(rows, (n) => `More ${n},more${n}.example,Raised a round,funding,2026-11-20T09:15:00Z`);

/** 250 rows, 200 compressed rows with a bad one, an NDJSON row, and what is no input. */
const archive = zipOf([
  { path: 'a.csv', bytes: csvOf(250) },
  { path: 'folder/b.csv.gz', bytes: gzipSync(`${more(200)},${BAD}\n`) },
  { path: 'README.txt', bytes: 'About these files' },
  { path: '__MACOSX/._a.csv', bytes: 'x' },
  { path: 'inner.zip', bytes: zipOf([{ path: 'c.csv', bytes: csvOf(5) }]) },
]);

describe('an archive', () => {
  test('is the files in it: sent, rejected and found by their names', async ({ cwd, signals }) => {
    await write(cwd, 'exports.zip', archive);
    const ended = await signals('upload', 'exports.zip', '--json');
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(
      "Not read (subfolder, readme or unsupported type): 'exports.zip:README.txt' and 'exports.zip:inner.zip'.",
    );
    expect(summaryOf(ended)).toMatchObject({
      balanced: true,
      rows: { read: 451, delivered: 450, invalid: 1 },
      inputs: [{ source: 'exports.zip:a.csv' }, { source: 'exports.zip:folder/b.csv.gz' }],
    });
    expect(await readRun(cwd, 'rejects/b.csv')).toMatch(/\n202,/);
    const found = await runInProcess(cwd, ['runs', 'find', 'last', 'exports.zip:folder/b.csv.gz:202']);
    expect(found.stdout).toContain('invalid');
    expect(await printed(cwd, 'runs', 'find', 'last', 'More 7')).toContain('exports.zip:folder/b.csv.gz:8');
  });

  test('that has changed is refused by a resume; one that moved needs --input', async ({ cwd, there, signals }) => {
    await write(cwd, 'exports.zip', archive);
    expect((await run(cwd, ['upload', 'exports.zip'], { env: withWrongKey(there) })).code).toBe(5);
    await mkdir(path.join(cwd, 'moved'));
    await write(cwd, 'moved/new.zip', archive);
    // The same length, but another first row.
    const other = Buffer.from(csvOf(250).replace('Company 1,', 'Compane 1,'));
    await write(cwd, 'exports.zip', zipOf([{ path: 'a.csv', bytes: other }]));
    const refused = await signals('resume', 'last');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('has changed since the run began');
    const moved = await signals('resume', 'last', '--input', 'exports.zip=moved/new.zip');
    expect(moved.code).toBe(3);
    expect((await timesDelivered(there, 'company_name')).size).toBe(450);
  });

  test('of an unfinished run is packed once, and finished from the archive of the run', async ({ cwd, there }) => {
    await write(cwd, 'exports.zip', archive);
    expect((await runInProcess(cwd, ['upload', 'exports.zip'], { env: withWrongKey(there) })).code).toBe(5);
    expect((await runInProcess(cwd, ['runs', 'pack', 'last', '--to', 'run.tar.gz', '--hand-over', '--yes'])).code).toBe(
      0,
    );
    const elsewhere = await workspace();
    await cp(path.join(cwd, 'run.tar.gz'), path.join(elsewhere, 'run.tar.gz'));
    const { execFileSync } = await import('node:child_process');
    execFileSync('tar', ['xzf', 'run.tar.gz'], { cwd: elsewhere });
    const [folder = ''] = (await readdir(elsewhere)).filter((name) => !/[.]|^settings$/.test(name));
    expect(await readdir(path.join(elsewhere, folder, 'inputs'))).toHaveLength(1);
    const resumed = await run(elsewhere, ['resume', folder, '--base-url', there.url, '--yes'], { env: at(there) });
    expect(resumed.code).toBe(3);
    expect((await timesDelivered(there, 'company_name')).size).toBe(450);
  });

  test('is refused with all problems of its files, and if its names are hostile', async ({ cwd }) => {
    await write(
      cwd,
      'bad.zip',
      zipOf([
        { path: 'empty.csv', bytes: '' },
        { path: 'secret.csv', bytes: 'a,b\n1,2\n', flags: 1 },
        { path: 'good.csv', bytes: csvOf(1) },
      ]),
    );
    await write(cwd, 'evil.zip', zipOf([{ path: '../../evil.csv', bytes: csvOf(1) }]));
    await write(cwd, 'twice.zip', zipOf([1, 2].map(() => ({ path: 'a.csv', bytes: csvOf(1) }))));
    const codes = async (...files: string[]): Promise<unknown> => {
      const { stdout, code } = await runInProcess(cwd, ['check', ...files, '--json']);
      expect(code).toBe(2);
      return JSON.parse(stdout).errors.map((problem: { code: string; where: string }) => [problem.code, problem.where]);
    };
    expect(await codes('bad.zip')).toEqual([
      ['input.empty', 'bad.zip:empty.csv'],
      ['input.protected', 'bad.zip:secret.csv'],
    ]);
    expect(await codes('evil.zip')).toEqual([['input.failed', 'evil.zip']]);
    expect(await codes('twice.zip')).toEqual([['input.container', 'twice.zip']]);
    expect(await codes('bad.zip:none.csv')).toEqual([['input.missing', 'bad.zip:none.csv']]);
    expect(await codes('bad.zip:good.csv', 'bad.zip:good.csv')).toEqual([['input.twice', 'bad.zip:good.csv']]);
  });
});

/** 1,000 rows in groups of 300; row 812 has no company. */
function companies(): Buffer {
  const rows = Array.from({ length: 1000 }, (_, n) => n + 1);
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'company_name', data: rows.map((n) => (n === 812 ? '' : `Company ${n}`)), type: 'STRING' },
        { name: 'signal_title', data: rows.map(() => 'Raised a round'), type: 'STRING' },
        { name: 'signal_source', data: rows.map(() => 'funding'), type: 'STRING' },
        { name: 'detected_at', data: rows.map((n) => new Date(1795166100000 + n)), type: 'TIMESTAMP' },
        { name: 'employee_count', data: rows, type: 'INT32' },
      ],
      rowGroupSize: 300,
    }),
  );
}

describe('a Parquet file', () => {
  test('is sent by row numbers, resumes, and its rejects are NDJSON', async ({ cwd, there, signals }) => {
    await write(cwd, 'in.parquet', companies());
    const stopped = await runInProcess(cwd, ['upload', 'in.parquet', '--concurrency', '1'], {
      env: withWrongKey(there),
    });
    expect(stopped.code).toBe(5);
    const ended = await signals('resume', 'last', '--json');
    expectEnd(ended, 3, {
      rows: { read: 1000, delivered: 999, invalid: 1 },
      invalidReasons: [{ first: 'in.parquet:812' }],
    });
    expect(JSON.parse(await readFile(path.join(await runFolder(cwd), 'rejects/in.ndjson'), 'utf8'))).toMatchObject({
      _line: 812,
      detected_at: '2026-11-20T09:15:00.812Z',
      employee_count: 812,
    });
    expect(await printed(cwd, 'runs', 'find', 'last', 'in.parquet:811')).toContain('delivered');
  });

  test('is refused with the command that installs the reader, where the packages are missing', async ({ cwd }) => {
    // A copy of the program in a folder from which no package can be found.
    const { mkdtemp, rm } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'signals-'));
    try {
      const home = path.join(elsewhere, 'lib/node_modules/signals-upload');
      for (const part of ['bin', 'dist', 'package.json']) {
        await cp(path.join(root, part), path.join(home, part), { recursive: true });
      }
      await writeFile(path.join(cwd, 'in.parquet'), companies());
      const { execFile } = await import('node:child_process');
      const stderr = await new Promise<string>((resolve) => {
        const copied = path.join(home, path.relative(root, program));
        execFile(process.execPath, [copied, 'check', 'in.parquet'], { cwd }, (_error, _stdout, text) => resolve(text));
      });
      expect(stderr).toContain("'in.parquet' is a Parquet file, and the packages that read Parquet are not installed.");
      expect(stderr).toContain('`npm install -g hyparquet hyparquet-compressors`');
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });
});
