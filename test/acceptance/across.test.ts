/** Several runs of the same data. The service's log is the witness. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import {
  at,
  csvOf,
  expectEnd,
  plainRow,
  printed,
  recordsAt,
  run,
  runFolder,
  runIds,
  runInProcess,
  service,
  summaryOf,
  test,
  withWrongKey,
  write,
  writeCsv,
} from '../support/program.ts';

/** A service that takes some batches, one unless told, and then refuses the key. */
async function closing(): Promise<{ readonly there: Sandbox; readonly open: (batches?: number) => void }> {
  let left = 1;
  const there = await service({
    injectFault: () => {
      left -= 1;
      return left < 0 ? { status: 401 } : undefined;
    },
  });
  return {
    there,
    open(batches = Number.POSITIVE_INFINITY) {
      left = batches;
    },
  };
}

const small = ['--batch-size', '2', '--concurrency', '1', '--quiet'];

test('an input of a run that is not complete is not sent anew, unless that is asked for', async ({ cwd }) => {
  const { there, open } = await closing();
  const text = csvOf(300);
  await write(cwd, 'in.csv', text);
  expect((await run(cwd, ['upload', 'in.csv', '--concurrency', '1', '--quiet'], { env: at(there) })).code).toBe(5);
  open();
  const before = there.requests().length;
  await write(cwd, 'same.csv', text);
  const stopped = await runInProcess(cwd, ['upload', 'same.csv', '--json'], { env: at(there) });
  expect(stopped.code).toBe(2);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ errors: [{ code: 'upload.unfinished' }] });
  const [id = ''] = await runIds(cwd);
  expect(stopped.stderr).toContain(`signals.js resume ${id}`);
  expect(await runIds(cwd)).toHaveLength(1);
  expect(there.requests()).toHaveLength(before);

  // Other data, and another place, are nothing to that run.
  await write(cwd, 'other.csv', text.replace('Company 1,', 'Company x,'));
  expect((await runInProcess(cwd, ['upload', 'other.csv'], { env: at(there) })).code).toBe(0);
  const elsewhere = await service();
  expect((await runInProcess(cwd, ['upload', 'same.csv'], { env: at(elsewhere) })).code).toBe(0);
  expect((await runInProcess(cwd, ['upload', 'same.csv', '--again'], { env: at(there) })).code).toBe(0);

  expect((await runInProcess(cwd, ['resume', id], { env: at(there) })).code).toBe(0);
  expect((await runInProcess(cwd, ['upload', 'in.csv'], { env: at(there) })).code).toBe(0);
});

test('a run that has sent nothing blocks no later upload, nor resumes after it', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 30);
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--quiet'], { env: withWrongKey(there) })).code).toBe(5);
  const [id = ''] = await runIds(cwd);
  expect((await signals('upload', 'in.csv', '--min-rows', '31', '--quiet')).code).toBe(6);
  expect((await signals('upload', 'in.csv', '--quiet')).code).toBe(0);
  const before = there.requests().length;
  const late = await signals('resume', id, '--json');
  expect(late.code).toBe(2);
  expect(JSON.parse(late.stdout)).toMatchObject({ errors: [{ code: 'resume.replaced' }] });
  const all = await signals('resume', '--all');
  expect(all).toMatchObject({ code: 0, stdout: expect.stringContaining('has anything left to send') });
  const replaced = 'Nothing left here: the later run \\S+ replaced it\\.\n';
  expect(await printed(cwd, 'runs')).toMatch(new RegExp(` in\\.csv +0 +${replaced}.* in\\.csv +30 *\n`));
  expect(await printed(cwd, 'runs', 'show', id)).toMatch(new RegExp(`^${replaced}`, 'm'));
  expect(await printed(cwd, 'runs', 'prune', '--older-than', '0s', '--dry-run')).toContain(' 0 runs kept.');
  expect(there.requests()).toHaveLength(before);
  expect(await recordsAt(there)).toHaveLength(30);
  expect((await signals('resume', id, '--again', '--quiet')).code).toBe(0);
});

test('a pipe is known by its beginning, also when it is not complete', async ({ cwd }) => {
  const { there, open } = await closing();
  const upload = (rows: number) => run(cwd, ['upload', '-', ...small], { env: at(there), input: csvOf(rows) });
  expect((await upload(30)).code).toBe(5);
  open();
  expect((await upload(30)).code).toBe(2);
  expect((await upload(31)).code).toBe(0);
});

test('resume --all resumes all unfinished runs; the worst gives the exit code', async ({ cwd, there, signals }) => {
  const wrong = withWrongKey(there);
  await writeCsv(cwd, 'done.csv', 10);
  await writeCsv(cwd, 'one.csv', 20);
  await write(cwd, 'two.csv', `${csvOf(30)},x.example,No company,news,2026-11-20T09:15:00Z\n`);
  await writeCsv(cwd, 'gone.csv', 40);
  await signals('upload', 'done.csv', '--quiet');
  for (const name of ['gone', 'one', 'two']) {
    await runInProcess(cwd, ['upload', `${name}.csv`, '--quiet'], { env: wrong });
  }
  await writeCsv(cwd, 'gone.csv', 41);
  const ended = await signals('resume', '--all', '--json');
  // One could not go on (2), one has an invalid row (3), one is well.
  expect(ended.code).toBe(2);
  const told = ended.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(told).toHaveLength(3);
  expect(told.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 2, 3]);
  expect(told.find(({ exitCode }) => exitCode === 2)).toMatchObject({ errors: [{ code: 'resume.changed' }] });
  await writeCsv(cwd, 'gone.csv', 40);
  expect((await signals('resume', '--all', '--quiet')).code).toBe(0);
  const idle = await signals('resume', '--all');
  expect(idle.stdout).toContain('has anything left to send');
  expect(idle.code).toBe(0);
});

test('a named run begins once, resumes after a kill, and is then complete for good', async ({
  cwd,
  there,
  signals,
}) => {
  // From the fourth request on nothing is answered until the first process is gone, however slow the second one starts.
  let killed = false;
  there.fault = ({ n }) => (n > 3 && !killed ? { hang: 'before' } : undefined);
  await writeCsv(cwd, 'in.csv', 1000);
  const args = ['upload', 'in.csv', '--run-id', 'nightly-2026-11-20', '--concurrency', '1'];
  const { child, ended } = signals.start(...args);
  while (there.requests().length < 3) await sleep(10);
  expect((await signals(...args)).code).toBe(7);
  child.kill('SIGKILL');
  await ended;
  killed = true;
  const again = await signals(...args, '--json');
  expectEnd(again, 0, { run: 'nightly-2026-11-20', rows: { read: 1000, delivered: 1000 } });
  const requests = there.requests().length;
  expect(requests).toBeLessThanOrEqual(11);
  const third = await signals(...args, '--json');
  expectEnd(third, 0, { rows: { delivered: 1000 } });
  expect(there.requests()).toHaveLength(requests);
  expect(await runIds(cwd)).toEqual(['nightly-2026-11-20']);
});

test('a named run refuses different data and names both inputs', async ({ cwd, there, signals }) => {
  const env = at(there);
  await writeCsv(cwd, 'in.csv', 5);
  await writeCsv(cwd, 'other.csv', 6);
  const named = ['--run-id', 'once'];
  expect((await signals('upload', 'in.csv', ...named, '--quiet')).code).toBe(0);
  for (const [file, input] of [['other.csv'], ['-', csvOf(6)], ['gone.csv']] as const) {
    const ended = await run(cwd, ['upload', file, ...named, '--json'], { env, ...(input && { input }) });
    expect(ended.code, file).toBe(2);
    expect(ended.stderr).toContain(file === '-' ? 'stdin' : file);
    if (file === 'gone.csv') continue;
    expect(JSON.parse(ended.stdout).errors).toMatchObject([
      {
        code: 'run.other_input',
        message: expect.stringContaining('in.csv'),
        hint: expect.stringContaining('--run-id'),
      },
    ]);
  }
  // The same data under another name, and the same name after the file was moved away, are the same.
  await rename(path.join(cwd, 'in.csv'), path.join(cwd, 'moved.csv'));
  for (const file of ['in.csv', 'moved.csv']) {
    expect((await signals('upload', file, ...named, '--quiet')).code, file).toBe(0);
  }
  // The sandbox is no service, also for a run that exists.
  for (const [words, said] of [
    [['--sandbox'], 'Run once already exists, and sends to a service.'],
    [['--sandbox', '--base-url', there.url], 'Pass either --sandbox or --base-url'],
  ] as const) {
    const ended = await signals('upload', 'moved.csv', ...named, ...words);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(said);
  }
  expect(there.requests()).toHaveLength(1);
});

test.for([
  ['file', ['in.csv']],
  ['pipe', ['-']],
] as const)(
  'a complete named run refuses a %s that has changed after its head, and says how to send it',
  async ([_what, files], { cwd, there }) => {
    const text = `${csvOf(5)}${'\n'.repeat(300 * 1024)}Company,x.example,Title 1,funding,2026-11-20T09:15:00Z\n`;
    const upload = async (input: string) => {
      await write(cwd, 'in.csv', input);
      const args = ['upload', ...files, '--run-id', 'once'];
      return run(cwd, args, { env: at(there), ...(files[0] === '-' && { input }) });
    };
    expect((await upload(text)).code).toBe(0);
    const again = await upload(text);
    expect(again.code).toBe(0);
    const changed = await upload(text.replace('Title 1', 'Title 2'));
    expect(changed.code).toBe(2);
    expect(changed.stderr).toContain('Run once already exists, for different data: ');
    expect(changed.stderr).toContain('To send this data, use another --run-id.');
    expect(there.requests()).toHaveLength(1);
  },
);

test('an unfinished named run whose file has changed is not resumed, and not suggested as it is', async ({ cwd }) => {
  const { there, open } = await closing();
  await writeCsv(cwd, 'in.csv', 5);
  const args = ['upload', 'in.csv', '--run-id', 'one', ...small];
  expect((await runInProcess(cwd, args, { env: at(there) })).code).toBe(5);
  open();
  await write(cwd, 'in.csv', csvOf(5).replace('Raised', 'Closed'));
  const before = there.requests().length;
  const ended = await runInProcess(cwd, args, { env: at(there) });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('Run one already exists, for different data: in.csv as of ');
  expect(ended.stderr).toContain('restore its data');
  expect(there.requests()).toHaveLength(before);
});

test('an unfinished named run refuses another file, and never reads a pipe', async ({ cwd }) => {
  const { there, open } = await closing();
  const env = at(there);
  await writeCsv(cwd, 'in.csv', 5);
  await writeCsv(cwd, 'other.csv', 6);
  const one = ['upload', 'in.csv', '--run-id', 'one', ...small];
  expect((await runInProcess(cwd, one, { env })).code).toBe(5);
  open();
  const other = await runInProcess(cwd, ['upload', 'other.csv', '--run-id', 'one'], { env });
  expect(other.code).toBe(2);
  expect(other.stderr).toContain('resume one');
  expect((await runInProcess(cwd, one, { env })).code).toBe(0);
  open(1);
  const piped = ['upload', '-', '--run-id', 'two', ...small];
  expect((await run(cwd, piped, { env, input: csvOf(7) })).code).toBe(5);
  open();
  expect((await run(cwd, piped, { env, input: 'open' })).code).toBe(0);
  expect(await recordsAt(there)).toHaveLength(12);
});

test('a named run that a row limit has stopped stays so until a resume', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 5);
  const args = ['upload', 'in.csv', '--run-id', 'once', '--min-rows', '10'];
  expect((await signals(...args)).code).toBe(6);
  const again = await signals(...args, '--json');
  expect(again.code).toBe(6);
  expect(summaryOf(again)).toMatchObject({ state: 'stopped', exitCode: 6, rows: { delivered: 0 } });
  expect(again.stderr).toContain('fewer than --min-rows 10');
  expect(again.stderr).toContain('resume once');

  const all = await signals('resume', '--all', '--quiet');
  expect(all.code).toBe(6);
  expect(all.stderr).toContain('once: The inputs have 5 rows, fewer than --min-rows 10. The run stays stopped.');
  expect(all.stderr).toContain('resume once');
  const listed = await runInProcess(cwd, ['runs']);
  expect(listed.stdout).toMatch(
    / in\.csv +0 +5 {2}.*signals\.js upload in\.csv --run-id once --min-rows 10 --base-url \S+\n$/,
  );
  const shown = await runInProcess(cwd, ['runs', 'show']);
  expect(shown.stdout).toContain('fewer than --min-rows 10. Nothing was sent.\nWhen the input is complete:\n');

  expect(there.requests()).toHaveLength(0);
  const resumed = await signals('resume', 'once', '--yes');
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toContain('no longer applies: The inputs have 5 rows, fewer than --min-rows 10.');
  expect(there.requests()).toHaveLength(1);
  expect((await signals(...args)).code).toBe(0);
});

test('a named run that has sent nothing blocks neither its data nor its name', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 5);
  await writeCsv(cwd, 'whole.csv', 20);
  const limited = ['--run-id', 'once', '--min-rows', '10'];
  expect((await signals('upload', 'in.csv', ...limited)).code).toBe(6);
  expect((await signals('upload', 'in.csv', '--quiet')).code).toBe(0);
  const late = await signals('resume', 'once', '--json');
  expect(late.code).toBe(2);
  expect(JSON.parse(late.stdout)).toMatchObject({ errors: [{ code: 'resume.replaced' }] });
  expect(there.requests()).toHaveLength(1);

  const whole = await signals('upload', 'whole.csv', ...limited, '--json');
  expectEnd(whole, 0, { run: 'once', rows: { read: 20, delivered: 20 } });
  // The folder of the run that it replaces is kept.
  const replaced = path.join(cwd, 'signals-runs', '.replaced', 'once', 'run.json');
  expect(await readFile(replaced, 'utf8')).toContain('in.csv');
});

test.for(['last', '../up', ''])('"%s" is no name of a run', async (name, { cwd }) => {
  await writeCsv(cwd, 'in.csv', 5);
  const ended = await runInProcess(cwd, ['upload', 'in.csv', '--run-id', name, '--sandbox']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('--run-id');
});

test('a folder that was made and never begun is no run yet', async ({ cwd, signals }) => {
  const folder = path.join(cwd, 'signals-runs', 'cut');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'journal.ndjson'), '{"event":"run.sta');
  await writeCsv(cwd, 'in.csv', 5);
  const ended = await signals('upload', 'in.csv', '--run-id', 'cut', '--json');
  expectEnd(ended, 0, { rows: { delivered: 5 } });
});

/** Rows of which every third is the same as an earlier one, in both files. */
function repeating(rows: number, from: number): string {
  return csvOf(rows, (n) => plainRow(n % 3 === 0 ? Math.ceil(n / 6) : from + n));
}

test('equal records of a run are sent once, and each names the line that it equals', async ({ cwd, signals }) => {
  await write(cwd, 'one.csv', repeating(300, 1000));
  await write(cwd, 'two.csv', repeating(300, 5000));
  const ended = await signals('upload', 'one.csv', 'two.csv', '--dedupe', '--json');
  expect(ended.code).toBe(0);
  // 400 rows that are unlike, and 50 companies that stand four times each.
  expect(summaryOf(ended)).toMatchObject({
    balanced: true,
    rows: { read: 600, duplicate: 150, delivered: 450 },
    batches: { sealed: 5 },
  });
  const lines = (await printed(cwd, 'runs', 'show', 'last', '--rows', 'duplicate')).trimEnd().split('\n');
  expect(lines).toHaveLength(150);
  expect(lines[0]).toBe('one.csv:7  the same record as one.csv:4');
  expect(lines[149]).toBe('two.csv:301  the same record as one.csv:298');
  const found = await runInProcess(cwd, ['runs', 'find', 'last', 'two.csv:301']);
  expect(found.stdout).toContain('duplicate, the same record as one.csv:298');
  const checked = await signals('check', 'one.csv', 'two.csv', '--dedupe', '--json');
  expect(JSON.parse(checked.stdout).rows).toMatchObject({ valid: 450, duplicate: 150 });
});

test('an upload warns of a run that it cannot compare', async ({ cwd, signals }) => {
  await writeCsv(cwd, 'in.csv', 3);
  expect((await signals('upload', 'in.csv', '--quiet')).code).toBe(0);
  await rm(path.join(cwd, 'signals-runs', '.catalogue.ndjson'));
  await writeFile(path.join(await runFolder(cwd), 'run.json'), '{"run":');
  const uploaded = await signals('upload', 'in.csv', '--json');
  expect(uploaded.code).toBe(0);
  expect(summaryOf(uploaded)['warnings']).toMatchObject([{ code: 'run.unreadable' }]);
});
