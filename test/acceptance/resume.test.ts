/** Resuming a run. The service's log is the witness. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import {
  at,
  csvOf,
  expectEnd,
  plainRow,
  readRun,
  recordsAt,
  run,
  runFolder,
  runIds,
  runInProcess,
  service,
  socialCsv,
  start,
  summaryOf,
  test,
  timesDelivered,
  withWrongKey,
  write,
  writeCsv,
} from '../support/program.ts';

test('a run that a wrong key stopped resumes, and sends everything once', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 1000);
  const wrong = withWrongKey(there);
  const stopped = await run(cwd, ['upload', 'in.csv'], { env: wrong });
  expect(stopped.code).toBe(5);
  expect(stopped.stdout).toMatch(/signals\.js resume$/m);
  // Another version may resume it, if it cuts the same batches.
  const file = path.join(await runFolder(cwd), 'run.json');
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), version: '99.0.0' }));
  const ended = await signals('resume', 'last', '--json');
  expectEnd(ended, 0, { rows: { read: 1000, delivered: 1000, pending: 0 } });
  expect((await recordsAt(there)).map((record) => record['company_name']).toSorted()).toEqual(
    Array.from({ length: 1000 }, (_, n) => `Company ${n + 1}`).toSorted(),
  );
  expect((await readRun(cwd, 'results.csv')).trimEnd().split('\r\n')).toHaveLength(1 + 10);
});

test('the JSON of a stopped upload names its run, which is resumed when it is no longer the last one', async ({
  cwd,
  there,
  signals,
}) => {
  await writeCsv(cwd, 'first.csv', 3);
  const stopped = await runInProcess(cwd, ['upload', 'first.csv', '--json'], { env: withWrongKey(there) });
  const [first = ''] = await runIds(cwd);
  expect(summaryOf(stopped)['next']).toMatch(new RegExp(` resume ${first}$`));
  await writeCsv(cwd, 'second.csv', 3, (n) => plainRow(n + 3));
  await signals('upload', 'second.csv');
  // Its time would be that of both processes.
  expect((await signals('resume', first)).stdout).toMatch(/^3 of 3 rows delivered to \S+\.$/m);
  expect((await timesDelivered(there, 'company_name')).size).toBe(6);
});

test('a resume writes the summary and results log that a kill has prevented', async ({ cwd, there, signals }) => {
  const upload = await run(cwd, ['upload', '-', '--json'], { env: at(there), input: csvOf(300) });
  expect(upload.code).toBe(0);
  const folder = await runFolder(cwd);
  const results = await readRun(cwd, 'results.csv');
  await rm(path.join(folder, 'summary.json'));
  await writeFile(path.join(folder, 'results.csv'), results.slice(0, results.indexOf('\n') + 1));
  await writeFile(path.join(folder, 'stdin.spool'), csvOf(300));

  const resumed = await signals('resume');
  expect(resumed.code).toBe(0);
  expect(resumed.stdout).toContain('Nothing was sent now. 300 of 300 rows delivered');
  expect(JSON.parse(await readRun(cwd, 'summary.json'))).toEqual(summaryOf(upload));
  expect(await readRun(cwd, 'results.csv')).toBe(results);
  expect(await readdir(folder)).not.toContain('stdin.spool');
  expect(there.requests()).toHaveLength(3);
  // A summary of an earlier part of the run is replaced, the one of its end is not.
  for (const [endedAt, isReplaced] of [
    [null, true],
    [summaryOf(upload)['endedAt'], false],
  ]) {
    await writeFile(path.join(folder, 'summary.json'), JSON.stringify({ endedAt }));
    await writeFile(path.join(folder, 'results.csv'), '');
    expect((await signals('resume')).code).toBe(0);
    expect('run' in JSON.parse(await readRun(cwd, 'summary.json'))).toBe(isReplaced);
    expect(await readRun(cwd, 'results.csv')).toBe(results);
  }
});

test('a row that was too large for a request is in no batch that is cut again', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 30, (n) => (n === 3 ? plainRow(n).replace('Raised', 'x'.repeat(5000)) : plainRow(n)));
  const wrong = withWrongKey(there);
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--setting', 'max_bytes=4KB'], { env: wrong })).code).toBe(5);
  const ended = await signals('resume', 'last', '--json');
  expectEnd(ended, 3, { rows: { read: 30, invalid: 1, delivered: 29 } });
});

test.for(['an input', 'a mapping'])(
  '%s that was changed is recognised by the digest of what is cut again',
  async (what, { cwd, there, signals }) => {
    there.fault = ({ n }) => (n > 60 ? { status: 401 } : undefined);
    const text = csvOf(8000);
    await write(cwd, 'in.csv', text);
    await signals('upload', 'in.csv', '--concurrency', '2', '--quiet');
    const events = (await readRun(cwd, 'journal.ndjson'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const settled = new Set(events.filter(({ event }) => event === 'batch.settled').map(({ batch }) => batch));
    const open = events.find(({ event, batch }) => event === 'batch.sealed' && !settled.has(batch));
    const from = open.ranges[0].start;
    if (what === 'an input') await write(cwd, 'in.csv', `${text.slice(0, from)}X${text.slice(from + 1)}`);
    else {
      const mapping = path.join(await runFolder(cwd), 'mapping.yaml');
      await writeFile(
        mapping,
        (await readFile(mapping, 'utf8')).replace('company_name: company_name', 'company_name: { value: Acme }'),
      );
    }
    const before = there.requests().length;
    const ended = await signals('resume', 'last');
    expect(ended.code).toBe(6);
    expect(ended.stdout).toContain('no longer matches the journal');
    expect(there.requests()).toHaveLength(before);
  },
);

test('an input that has moved is named by --input', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 500);
  await runInProcess(cwd, ['upload', 'in.csv', '--quiet'], { env: withWrongKey(there) });
  await rename(path.join(cwd, 'in.csv'), path.join(cwd, 'moved.csv'));
  const missing = await signals('resume', 'last');
  expect(missing.code).toBe(2);
  expect(missing.stderr).toMatch(
    /in\.csv: The input has changed since the run began: it no longer exists\..*--input OLD=NEW/s,
  );
  const unknown = await signals('resume', 'last', '--input', 'on.csv=moved.csv');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("--input names 'on.csv', which the run did not read. It read 'in.csv'.");
  const ended = await signals('resume', 'last', '--input', 'in.csv=moved.csv', '--json');
  expect(summaryOf(ended).rows).toMatchObject({ delivered: 500 });
});

test('named pipes are kept like stdin, each for itself', async ({ cwd, there, signals }) => {
  const pipes = ['one.fifo', 'two.fifo'];
  const texts = [csvOf(250), csvOf(50, (n) => plainRow(n + 250))];
  for (const pipe of pipes) execFileSync('mkfifo', [path.join(cwd, pipe)]);
  const { ended } = start(cwd, ['upload', ...pipes, '--json'], { env: withWrongKey(there) });
  await Promise.all(pipes.map((pipe, index) => write(cwd, pipe, texts[index] ?? '')));
  expect((await ended).code).toBe(5);
  expect(await readRun(cwd, 'pipe-1.spool')).toBe(texts[0]);
  expect(await readRun(cwd, 'pipe-2.spool')).toBe(texts[1]);
  const found = await runInProcess(cwd, ['runs', 'find', 'last', 'Company 20,']);
  expect(found.stdout).toContain('one.fifo:21');
  const resumed = await signals('resume', 'last', '--json');
  expectEnd(resumed, 0, { rows: { read: 300, delivered: 300 } });
  expect((await readdir(await runFolder(cwd))).filter((name) => name.endsWith('.spool'))).toEqual([]);
});

test('a pipe is copied to its end, however slowly the service answers', async ({ cwd, there, signals }) => {
  let isSlow = true;
  there.fault = () => (isSlow ? { hang: 'before' } : undefined);
  const { child, ended } = start(cwd, ['upload', '-', '--type', 'signals'], { env: at(there), input: csvOf(20_000) });
  await expect.poll(() => readRun(cwd, 'journal.ndjson').catch(() => '')).toContain('"event":"source.spooled"');
  expect(there.requests().length).toBeLessThanOrEqual(1);
  child.kill('SIGKILL');
  await ended;
  isSlow = false;
  const copy = path.join(await runFolder(cwd), 'stdin.spool');
  await writeFile(copy, csvOf(20_000).slice(0, 200_000));
  expect((await signals('resume', 'last')).stderr).toMatch(/has changed .*: it had \d+ bytes and now has 200000\./);
  await writeFile(copy, csvOf(20_000));
  const resumed = await signals('resume', 'last', '--json');
  expectEnd(resumed, 0, { rows: { read: 20_000, delivered: 20_000 } });
});

test('of a pipe that broke off every whole row is sent, and the last one, which is cut off, is not', async ({
  cwd,
  there,
  signals,
}) => {
  there.fault = () => ({ latencyMs: 20 });
  const { child, ended } = start(cwd, ['upload', '-', '--type', 'signals'], { env: at(there), input: 'open' });
  const text = csvOf(8000);
  child.stdin?.on('error', () => undefined).write(text.slice(0, -30));
  while (there.requests().length < 3) await sleep(20);
  await sleep(300);
  child.kill('SIGKILL');
  await ended;
  const resumed = await signals('resume', 'last', '--json');
  expect(resumed.code).toBe(6);
  const { rows, ...summary } = summaryOf(resumed);
  expect(summary).toMatchObject({ balanced: true, state: 'stopped' });
  const spool = await readRun(cwd, 'stdin.spool');
  const whole = spool.split('\n').length - 2;
  expect(rows).toMatchObject({ read: whole, delivered: whole });
  expect(resumed.stderr).toContain(`was cut off after row ${whole}`);
  expect(resumed.stderr).toContain('Upload the remaining rows');
  expect(resumed.stderr).toContain('Export the data that is missing again, and upload it.');
  expect(resumed.stderr).not.toMatch(/signals\.js resume/);
});

describe('what was said of delivery when the run began', () => {
  const social = [
    'platform,engagement_type,engager_name',
    ...Array.from({ length: 20 }, (_, n) => `linkedin,like,${n === 7 ? 'Poison' : `P${n}`}`),
  ].join('\n');
  const refusesPoison = () =>
    service({
      injectFault: ({ elements }) => (JSON.stringify(elements).includes('Poison') ? { status: 422 } : undefined),
    });
  const begin = ['upload', 'in.csv', '--batch-size', '10', '--setting', 'canary=no'];

  test('holds when it goes on: a refused social batch is halved, and this is said', async ({ cwd }) => {
    const there = await refusesPoison();
    await write(cwd, 'in.csv', social);
    const stopped = await runInProcess(cwd, [...begin, '--setting', 'isolate=yes', '--rate', '50/s'], {
      env: withWrongKey(there),
    });
    expect(stopped.code).toBe(5);
    const ended = await runInProcess(cwd, ['resume', 'last', '--json'], { env: at(there) });
    expect(summaryOf(ended).rows).toMatchObject({ delivered: 19, refused: 1 });
    expect(ended.stderr).toContain(
      'Using the original settings: --setting isolate=yes --setting canary=no --rate 50/s.',
    );
  });

  test('may be said anew, and may be said for the first time', async ({ cwd }) => {
    const there = await refusesPoison();
    await write(cwd, 'in.csv', social);
    expect((await runInProcess(cwd, [...begin, '--rate', '50/s'], { env: withWrongKey(there) })).code).toBe(5);
    const ended = await runInProcess(cwd, ['resume', 'last', '--setting', 'isolate=yes', '--rate', '60/s', '--json'], {
      env: at(there),
    });
    expect(summaryOf(ended).rows).toMatchObject({ delivered: 19, refused: 1 });
    expect(ended.stderr).toContain('Using the original settings: --setting canary=no.');
  });

  test('holds for the profile: the key goes with the address', async ({ cwd, there }) => {
    there.fault = ({ n }) => (n === 1 ? { status: 401 } : undefined);
    const other = { base_url: 'http://127.0.0.1:1', api_key: 'the key of another service' };
    for (const [profile, { base_url, api_key }] of Object.entries({
      default: other,
      eu: { base_url: there.url, api_key: there.key },
    })) {
      await runInProcess(cwd, ['config', 'set', '--profile', profile, 'base_url', base_url]);
      await run(cwd, ['config', 'set', '--profile', profile, 'api_key'], { input: api_key });
    }
    await writeCsv(cwd, 'in.csv', 10);
    expect((await runInProcess(cwd, ['upload', 'in.csv', '--profile', 'eu'])).code).toBe(5);
    expect((await runInProcess(cwd, ['resume', 'last', '--quiet'])).code).toBe(0);
    expect(await recordsAt(there)).toHaveLength(10);
  });

  test('holds for resume --all, whose runs share the rate', async ({ cwd, there, signals }) => {
    for (const name of ['first', 'second']) {
      await writeCsv(cwd, `${name}.csv`, 4, (n) => `${name} ${plainRow(n)}`);
      const words = ['upload', `${name}.csv`, '--quiet', '--batch-size', '1', '--rate', '4/s'];
      await runInProcess(cwd, words, { env: withWrongKey(there) });
    }
    const before = there.requests().length;
    expect((await signals('resume', '--all', '--quiet')).code).toBe(0);
    const times = there
      .requests()
      .slice(before)
      .map(({ at: time }) => time);
    expect(times).toHaveLength(8);
    for (const [n, time] of times.slice(4).entries()) expect(time - (times[n] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test('holds for resume --all, which also sees what is left by it', async ({ cwd, there, signals }) => {
    let lost = true;
    there.fault = () => (lost ? { hang: 'before' } : undefined);
    await write(cwd, 'in.csv', socialCsv(10));
    const { child, ended } = signals.start('upload', 'in.csv', '--setting', 'on_unknown=resend');
    while (there.requests().length < 1) await sleep(20);
    child.kill('SIGKILL');
    await ended;
    lost = false;
    const resumed = await signals('resume', '--all', '--json');
    expect(summaryOf(resumed).rows).toMatchObject({ delivered: 10, unknown: 0 });
    // The journal says by whose decision events that may have arrived were sent again.
    expect(await readRun(cwd, 'journal.ndjson')).toMatch(
      /"batch.settled".*"outcome":"unknown".*\n.*"batch.reopened".*"from":"unknown","why":"resume --unknown"/,
    );
  });
});

describe('limits of rows', () => {
  test('hold for a run that something else stopped, not for one that they stopped', async ({ cwd, there, signals }) => {
    const bad = (n: number) => (n <= 2000 ? plainRow(n) : `,x${n}.example,Title,news,2026-11-20`);
    await writeCsv(cwd, 'in.csv', 2050, bad);
    const args = ['upload', 'in.csv', '--max-invalid', '10', '--concurrency', '1', '--quiet'];
    expect((await runInProcess(cwd, args, { env: withWrongKey(there) })).code).toBe(5);
    const limited = await signals('resume', 'last');
    expect(limited.code).toBe(6);
    expect(limited.stdout).toContain('more than --max-invalid 10 allows');
    expect(limited.stderr).toContain('--max-invalid 10');
    expect(limited.stdout).toMatch(/^ +11 {2}company_name {2}missing {2}:2002, :2003, :2004$/m);
    const overruled = await signals('resume', 'last', '--json');
    expect(overruled.code).toBe(3);
    expect(JSON.parse(overruled.stdout).invalidReasons).toMatchObject([{ rows: 50 }]);
    expect(summaryOf(overruled).rows).toMatchObject({ read: 2050, delivered: 2000, invalid: 50 });
    expect(overruled.stderr).toContain('The row limit that stopped it no longer applies');
    expect(overruled.stderr).toContain('Using the original settings: --concurrency 1.');
  });

  test('send nothing of a pipe that was killed before enough rows came', async ({ cwd, there, signals }) => {
    const { child, ended } = start(cwd, ['upload', '-', '--type', 'signals', '--min-rows', '5000'], {
      env: at(there),
      input: 'open',
    });
    child.stdin?.on('error', () => undefined).write(csvOf(4000));
    while (!(await readRun(cwd, 'journal.ndjson').catch(() => '')).includes('"batch.sealed"')) await sleep(50);
    child.kill('SIGKILL');
    await ended;
    const limited = await signals('resume', 'last');
    expect(limited.code).toBe(6);
    expect(limited.stdout).toContain('was cut off after row 4000');
    expect(limited.stdout).toContain('fewer than --min-rows 5,000');
    expect(there.requests()).toHaveLength(0);
    const overruled = await signals('resume', 'last', '--json');
    expect(overruled.code).toBe(6);
    expect(summaryOf(overruled).rows).toMatchObject({ read: 4000, delivered: 4000 });
  });
});
