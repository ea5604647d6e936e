/** Poison records, the canary and the limits of rows. */
import { readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { InjectedFault, SandboxServerOptions } from '../../src/sandbox/index.ts';
import {
  at,
  csvOf,
  expectEnd,
  plainRow,
  readRun,
  run,
  runFolder,
  runInProcess,
  summaryOf,
  test,
  workspace,
  write,
  writeCsv,
} from '../support/program.ts';

const ESC = String.fromCharCode(0x1b);
type Behave = NonNullable<SandboxServerOptions['injectFault']>;

/** Refuses what holds a company called Poison, in words that try to reach the terminal. */
const poison =
  (status: number): Behave =>
  ({ elements }): InjectedFault | undefined =>
    JSON.stringify(elements).includes('Poison')
      ? { status, body: `{"error":"Poison is ${ESC}[31mnot a company\\n"}` }
      : undefined;

const rows = (n: number) => (n === 150 ? plainRow(n).replace(/^Company \d+/, 'Poison') : plainRow(n));

describe('one record that the service refuses', () => {
  test.for([
    ['a file', false],
    ['a pipe', true],
  ] as const)(
    'of %s costs one record, and is in the rejects file with the answer of the service',
    async ([_name, piped], { cwd, there, signals }) => {
      there.fault = poison(422);
      await writeCsv(cwd, 'in.csv', 300, rows);
      const ended = piped
        ? await run(cwd, ['upload', '-', '--json'], { env: at(there), input: csvOf(300, rows) })
        : await signals('upload', 'in.csv', '--json');
      expect(ended.code).toBe(3);
      const summary = summaryOf(ended);
      expect(summary).toMatchObject({
        balanced: true,
        state: 'complete',
        rows: { read: 300, delivered: 299, refused: 1, invalid: 0 },
      });
      const batches = summary['batches'] as Record<string, number>;
      // 100 records are halved seven times before one is alone: 100, 50, 25, 13, 7, 4, 2, 1.
      expect(batches['split']).toBeGreaterThanOrEqual(6);
      expect(batches['sealed']).toBe(3 + 2 * (batches['split'] ?? 0));
      const rejects = await readRun(cwd, piped ? 'rejects/stdin.csv' : 'rejects/in.csv');
      const lines = rejects.trimEnd().split('\r\n');
      expect(lines[0]).toContain('_line,_reason,company_name');
      expect(lines).toHaveLength(2);
      expect(lines[1]).toMatch(/^151,.*the service refused it: HTTP 422.*not a company.*,Poison,company150\.example/);
      expect(rejects).not.toContain(ESC);
      expect(ended.stderr).not.toContain(ESC);
      expect(ended.stderr).toContain('Fix      ');
      // Each of the others arrived, and arrived once.
      const taken = there.requests().filter(({ processed }) => processed);
      expect(taken.reduce((sum, { records }) => sum + records, 0)).toBe(299);
      // The results log counts the leaves, and nothing twice.
      const log = (await readRun(cwd, 'results.csv')).trimEnd().split('\r\n').slice(1);
      expect(log.reduce((sum, line) => sum + Number(line.split(',')[4]), 0)).toBe(300);
    },
  );

  test('is known to fix and to runs show, until a resume has delivered it', async ({ cwd, there, signals }) => {
    let isPoison = true;
    const refuse = poison(422);
    there.fault = (incoming) => (isPoison ? refuse(incoming) : undefined);
    await writeCsv(cwd, 'in.csv', 160, (n) => (n === 7 ? `,${plainRow(n)}`.replace(/,Company \d+/, '') : rows(n)));
    await signals('upload', 'in.csv', '--run-id', 'first', '--quiet');

    expect((await signals('fix', 'first')).stdout).toMatch(
      /^2 rows in .*\n1 row was refused by the service, for the reason in _reason\. No rule repairs that\.\n\n/,
    );
    const shown = await signals('runs', 'show', 'first');
    expect(shown.stdout).toContain('rejects/in.csv  2 rows to correct');
    expect(shown.stdout).toContain('Fix      ');

    // The first run has shown that the names of the fields are right.
    const still = await signals('resume', 'first', '--refused');
    expect(still.stdout).toContain('1  refused');
    expect(still.stdout).not.toContain('Try variant');
    expect(still.stdout).toMatch(/^Rejects {2}signals-runs/m);
    expect((await signals('fix', 'first')).stdout).toContain('1 row was refused by the service');

    // Delivered, it leaves the rejects file: uploading the file does not send it twice.
    isPoison = false;
    expect((await signals('resume', 'first', '--refused', '--quiet')).code).toBe(3);
    const after = await signals('runs', 'show', 'first');
    expect(after.stdout).toMatch(/rejects\/in\.csv +1 row to correct\n/);
    expect(after.stdout).toContain('Fix      ');
    expect((await readRun(cwd, 'rejects/in.csv')).trimEnd().split('\r\n')).toHaveLength(2);
    expect(await readRun(cwd, 'rejects/in.csv')).not.toContain('Poison');
    expect((await signals('fix', 'first')).stdout).not.toContain('refused by the service');
  });

  test('stays in the rejects file when a resume delivers what was left unknown', async ({ cwd, there, signals }) => {
    let isDown = true;
    const refuse = poison(422);
    there.fault = (incoming) =>
      isDown && JSON.stringify(incoming.elements).includes('company250.') ? { status: 500 } : refuse(incoming);
    await writeCsv(cwd, 'in.csv', 300, rows);
    expect((await signals('upload', 'in.csv', '--setting', 'retries=0')).code).toBe(4);
    const rejects = await readRun(cwd, 'rejects/in.csv');
    expect(rejects).toContain('Poison');
    isDown = false;
    const resumed = await signals('resume', 'last', '--json');
    expect(summaryOf(resumed).rows).toMatchObject({ delivered: 299, refused: 1, unknown: 0 });
    expect(await readRun(cwd, 'rejects/in.csv')).toBe(rejects);
    // Nothing is left: a second resume changes nothing.
    expect((await signals('resume', 'last')).stdout).toContain('Nothing was sent now.');
    expect(await readRun(cwd, 'rejects/in.csv')).toBe(rejects);
  });

  test('is listed by a resume where the rejects file could not be written', async ({ cwd, there, signals }) => {
    const refuse = poison(422);
    there.fault = (incoming) => {
      const [id = ''] = readdirSync(path.join(cwd, 'signals-runs')).filter((name) => !name.startsWith('.'));
      // In place of the folder of the rejects files.
      writeFileSync(path.join(cwd, 'signals-runs', id, 'rejects'), '');
      return refuse(incoming);
    };
    await writeCsv(cwd, 'in.csv', 300, rows);
    const ended = await signals('upload', 'in.csv', '--json');
    expect([ended.code, summaryOf(ended)['state']]).toEqual([6, 'stopped']);
    const requests = there.requests().length;
    await rm(path.join(await runFolder(cwd), 'rejects'));
    const resumed = await signals('resume', 'last', '--json');
    expect([resumed.code, summaryOf(resumed)['state']]).toEqual([3, 'complete']);
    expect(summaryOf(resumed)['rows']).toMatchObject({ read: 300, delivered: 299, refused: 1 });
    expect(there.requests()).toHaveLength(requests);
    const rejects = (await readRun(cwd, 'rejects/in.csv')).trimEnd().split('\r\n');
    expect(rejects).toHaveLength(2);
    expect(rejects[1]).toContain('the service refused it: HTTP 422');
    const again = await signals('resume', 'last');
    expect(again.stdout).toContain('Nothing was sent now.');
  });

  test('keeps its reject when a later fault stops the run, and after a resume', async ({ cwd, there, signals }) => {
    const refuse = poison(422);
    let refusedAlone = false;
    let mended = false;
    there.fault = (incoming) => {
      const text = JSON.stringify(incoming.elements);
      refusedAlone ||= incoming.records === 1 && text.includes('Poison');
      // The other fault waits until the record is found.
      if (text.includes('Last') && !mended)
        return refusedAlone ? { status: 401 } : { status: 429, headers: { 'retry-after': '0.2' } };
      return refuse(incoming);
    };
    await writeCsv(cwd, 'in.csv', 900, (n) => (n === 290 ? plainRow(n).replace(/^Company/, 'Last') : rows(n)));
    const ended = await signals('upload', 'in.csv', '--json');
    expect(ended.code).toBe(5);
    const summary = summaryOf(ended);
    expect(summary).toMatchObject({ balanced: true, rows: { refused: 1 } });
    expect(summary.rows['pending']).toBeGreaterThanOrEqual(100);
    expect(await readRun(cwd, 'rejects/in.csv')).toContain('Poison');
    // Kept for the resume, which cuts the rejects file back.
    expect(await readRun(cwd, 'undelivered.ndjson')).toContain('Poison');
    expect(await readRun(cwd, 'journal.ndjson')).toContain('"event":"batch.split"');

    // The service is mended: the run goes on with the parts, and with what was never sent.
    mended = true;
    const resumed = await signals('resume', 'last', '--json');
    expectEnd(resumed, 3, { rows: { read: 900, delivered: 899, refused: 1, pending: 0 } });
    const rejects = (await readRun(cwd, 'rejects/in.csv')).trimEnd().split('\r\n');
    expect(rejects.filter((line) => line.includes('Poison'))).toHaveLength(1);
    const undelivered = (await readRun(cwd, 'undelivered.ndjson')).trimEnd().split('\n');
    expect(undelivered).toEqual([expect.stringContaining('Poison')]);
    const taken = there.requests().filter(({ processed }) => processed);
    expect(taken.reduce((sum, { records }) => sum + records, 0)).toBe(899);
    const ids = (await readRun(cwd, 'results.csv'))
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[1]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('9');
  });
});

describe('the canary', () => {
  test('names a command for the other variant that the program then takes', async ({ cwd, there, signals }) => {
    there.fault = ({ elements }) => (JSON.stringify(elements).includes('signal_title') ? { status: 422 } : undefined);
    await writeCsv(cwd, '-in.csv', 50);
    const args = ['upload', '--variant=b', '--run-id', 'nightly', '--batch-size', '10', '--', '-in.csv'];
    const stopped = await signals(...args);
    expect(stopped.code).toBe(6);
    const [, words = ''] = /signals\.js (upload .*)$/m.exec(stopped.stdout) ?? [];
    expect(words).toBe('upload --batch-size 10 --variant a --again -- -in.csv');
    const ended = await signals(...words.split(' '));
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('50 of 50 rows delivered');
  });

  const rejectAll = { success: true, batchId: 'b1', stats: { accepted: 0, deduplicated: 0, rejected: 2 } };

  test.for<[string, InjectedFault]>([
    ['refuses', { status: 400, body: '{"error":"bad request"}' }],
    ['rejects', { status: 200, body: JSON.stringify({ ...rejectAll, promotedToPipeline: 0 }) }],
  ])(
    'where the service %s all, names the other variant, also if a field for it is missing',
    async ([how, fault], { cwd, there, signals }) => {
      there.fault = () => fault;
      await write(cwd, 'in.csv', 'company_name,signal_name,source\nAcme,Raised,news\nBeta,Hired,news\n');
      const { stdout } = await signals('upload', 'in.csv');
      const shown = how === 'rejects' ? (await signals('runs', 'show', 'last')).stdout : stdout;
      for (const text of [stdout, shown]) {
        expect(text).toContain('upload in.csv --variant b');
      }
      const other = ['upload', 'in.csv', '--variant', 'b'];
      expect((await signals(...other)).stderr).toContain('(variant b) requires "company_domain"');
      const domain = ['--set', 'company_domain=acme.example'];
      expect((await signals(...other, ...domain)).stdout).toContain('the other field names of the API, variant a');
    },
  );

  test('keeps 4 KB of the answer, and runs show prints as much as fits', async ({ cwd, there, signals }) => {
    const answer = {
      input: 'x'.repeat(300),
      near: 'field_shown is required',
      more: 'y'.repeat(3000),
      far: 'field_kept is required',
      rest: 'z'.repeat(5000),
      end: 'field_lost is required',
    };
    there.fault = () => ({ status: 422, body: JSON.stringify(answer) });
    await writeCsv(cwd, 'in.csv', 2);
    const ended = await signals('upload', 'in.csv');
    expect(ended.code).toBe(3);
    for (const file of ['journal.ndjson', 'results.csv', 'rejects/in.csv']) {
      const text = await readRun(cwd, file);
      expect(text, file).toContain('field_kept is required');
      expect(text, file).not.toContain('field_lost');
    }
    expect(ended.stdout).toContain('2  refused  HTTP 422');
    const shown = (await signals('runs', 'show')).stdout;
    expect(shown).toContain('field_shown is required');
    expect(shown).not.toContain('field_kept');
  });
});

describe('limits of rows', () => {
  test('judge what they held back where an input breaks off, and send it if it is valid', async ({ there }) => {
    const objects = (name: string) =>
      Array.from({ length: 900 }, (_, n) =>
        // So long that the break stands behind what is looked at before anything is sent.
        JSON.stringify({
          company_name: n < 100 ? name : 'C',
          signal_name: `T ${n}`,
          source: 'news',
          description: 'x'.repeat(1000),
        }),
      );
    const upload = async (text: string) => {
      const cwd = await workspace();
      await write(cwd, 'in.json', text);
      return runInProcess(cwd, ['upload', 'in.json', '--max-invalid', '5%', '--json'], { env: at(there) });
    };
    const broken = await upload(`[${objects('A').join(',\n')},\n{"company_name": "`);
    expect(broken.code).toBe(6);
    expect(summaryOf(broken).rows).toMatchObject({ delivered: 900 });
    const bad = await upload(`[${objects('').join(',\n')},\n{"company_name": "`);
    expect(bad.code).toBe(6);
    expect(summaryOf(bad).rows).toMatchObject({ delivered: 0, invalid: 100 });
    expect(bad.stderr).toContain('--max-invalid 5%');
  });
});
