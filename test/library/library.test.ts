import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  check,
  createSandbox,
  ProblemError,
  type RunEvent,
  type Sandbox,
  type SourceRow,
  type UploadOptions,
  upload,
} from '../../src/library/index.ts';
import { csvOf, recordsAt, root, workspace } from '../support/program.ts';

async function sandboxAt(...faults: readonly string[]): Promise<Sandbox> {
  const sandbox = await createSandbox({ faults });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

async function optionsFor({ url, key }: Sandbox): Promise<Omit<UploadOptions, 'input'> & { readonly out: string }> {
  return { baseUrl: url, apiKey: key, out: path.join(await workspace(), 'runs') };
}

function row(n: number): SourceRow {
  return {
    company_name: `Company ${n}`,
    company_domain: `c${n}.example`,
    signal_title: 'Raised',
    signal_source: 'funding',
    detected_at: new Date(Date.UTC(2026, 10, 20)),
  };
}

async function* rows(count: number): AsyncGenerator<SourceRow> {
  for (let n = 1; n <= count; n += 1) yield row(n);
}

/** The codes of the problems with which a promise rejects. */
async function codesOf(promise: Promise<unknown>): Promise<readonly string[]> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProblemError)) throw new Error('expected a ProblemError', { cause: error });
  expect(error.code).toBe(error.problems[0]?.code);
  return error.problems.map(({ code }) => code);
}

describe('an upload', () => {
  test('sends the rows of an async iterable, and its summary is that of summary.json', async () => {
    const sandbox = await sandboxAt();
    const options = await optionsFor(sandbox);
    const events: RunEvent[] = [];
    const summary = await upload({ ...options, input: rows(250), name: 'crm', onEvent: (event) => events.push(event) });
    expect(summary).toMatchObject({ state: 'complete', exitCode: 0, balanced: true, rows: { delivered: 250 } });
    expect(summary.inputs[0]?.source).toBe('crm');
    expect(JSON.parse(JSON.stringify(summary))).toEqual(
      JSON.parse(await readFile(path.join(summary.folder, 'summary.json'), 'utf8')),
    );
    const records = await recordsAt(sandbox);
    expect(records).toHaveLength(250);
    expect(records.map(({ detected_at: at }) => at)).toContain('2026-11-20T00:00:00.000Z');
    expect(events.at(0)?.event).toBe('run.started');
    expect(events.filter(({ event }) => event === 'batch.settled')).toHaveLength(3);
  });

  test.each([
    ['bytes', Buffer.from(csvOf(120))],
    [
      'a stream of bytes',
      (async function* bytes() {
        const text = csvOf(120);
        for (let at = 0; at < text.length; at += 1000) yield Buffer.from(text.slice(at, at + 1000));
      })(),
    ],
    ['an array of rows', Array.from({ length: 120 }, (_, n) => row(n))],
  ])('takes %s', async (_name, input) => {
    const sandbox = await sandboxAt();
    const summary = await upload({ ...(await optionsFor(sandbox)), input });
    expect(summary.rows).toMatchObject({ read: 120, delivered: 120 });
  });

  test('prints nothing and leaves the process alone', async () => {
    const written = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write'));
    const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name));
    const sandbox = await sandboxAt('status=503,first=1');
    const summary = await upload({
      ...(await optionsFor(sandbox)),
      input: path.join(root, 'fixtures/signals-with-faults.csv'),
    });
    expect(summary.exitCode).toBe(3);
    for (const spy of written) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
    expect(['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name))).toEqual(listeners);
  });

  test('uses no key, no address and no proxy of the environment', async () => {
    const names = ['SIGNALS_API_KEY', 'SIGNALS_BASE_URL', 'SIGNALS_RATE', 'SIGNALS_STATE_DIR', 'http_proxy'];
    for (const name of names) vi.stubEnv(name, 'not valid');
    onTestFinished(() => void vi.unstubAllEnvs());
    const sandbox = await sandboxAt();
    const options = await optionsFor(sandbox);
    expect((await upload({ ...options, input: rows(1) })).rows.delivered).toBe(1);
    expect(existsSync(path.join(options.out, '.state'))).toBe(true);
    expect(await codesOf(upload({ ...options, apiKey: '', input: rows(1) }))).toEqual(['settings.key']);
  });

  test('ends in order when its signal is aborted, and the same input is then refused', async () => {
    const sandbox = await sandboxAt('latency=200');
    const options = { ...(await optionsFor(sandbox)), concurrency: 1, input: path.join(root, 'fixtures/social.csv') };
    const stop = new AbortController();
    const summary = await upload({
      ...options,
      batchSize: 5,
      signal: stop.signal,
      onEvent: ({ event }) => event === 'batch.settled' && stop.abort(),
    });
    expect(summary).toMatchObject({ state: 'interrupted', exitCode: 130, balanced: true });
    expect(summary.next).toMatch(/^signals resume /);
    expect(await codesOf(upload(options))).toEqual(['upload.unfinished']);
    await expect(upload({ ...options, again: true, signal: stop.signal })).rejects.toThrow(/abort/);
  });

  test('ends with the error that onEvent throws, and can be resumed', async () => {
    const sandbox = await sandboxAt();
    const options = { ...(await optionsFor(sandbox)), input: path.join(root, 'fixtures/signals.csv') };
    const onEvent = ({ event }: RunEvent): void => {
      if (event === 'batch.settled') throw new TypeError('of the caller');
    };
    await expect(upload({ ...options, onEvent })).rejects.toThrow('of the caller');
    expect(await codesOf(upload(options))).toEqual(['upload.unfinished']);
  });

  test("accounts for the rows that came before the caller's rows failed", async () => {
    const sandbox = await sandboxAt();
    async function* failing(): AsyncGenerator<SourceRow> {
      yield* rows(5000);
      throw new Error('the database is gone');
    }
    const summary = await upload({ ...(await optionsFor(sandbox)), input: failing() });
    expect(summary).toMatchObject({ state: 'stopped', exitCode: 6, balanced: true, stop: { code: 'input' } });
    expect(summary.stop?.message).toContain('the database is gone');
  });

  test('skips events that it has delivered before', async () => {
    const sandbox = await sandboxAt();
    const options = { ...(await optionsFor(sandbox)), input: path.join(root, 'fixtures/social.csv') };
    const first = await upload(options);
    const second = await upload(options);
    expect(second.rows).toMatchObject({ delivered: 0, skipped: first.rows.delivered });
  });
});

describe('options', () => {
  test('are checked like those of the command line, all before anything is sent', async () => {
    const sandbox = await sandboxAt();
    const options = { ...(await optionsFor(sandbox)), input: rows(1) };
    expect(await codesOf(upload({ ...options, rate: 'fast', timeout: 'x' }))).toEqual([
      'settings.value',
      'settings.value',
    ]);
    expect(await codesOf(upload({ ...options, runId: 'a/b' }))).toEqual(['usage']);
    const withoutKey = { ...JSON.parse(JSON.stringify({ ...options, apiKey: undefined })), input: rows(1) };
    expect(await codesOf(upload(withoutKey))).toEqual(['settings.key']);
    expect(await codesOf(upload({ ...options, input: 'missing.csv' }))).toEqual(['input.missing']);
    expect(await codesOf(upload({ ...options, input: [] }))).toEqual(['input.empty']);
    expect(await codesOf(upload({ ...options, mapping: { fields: { nonsense: 'x' } } }))).toEqual(['mapping.field']);
    expect(sandbox.requests()).toEqual([]);
  });
});

test('checks the part of a shard, as an upload of it would send', async () => {
  const out = await workspace();
  const part = { input: path.join(root, 'fixtures/signals.csv'), out, batchSize: 10 } as const;
  expect((await check(part)).requests).toBe(3);
  expect((await check({ ...part, shard: '0/2' })).requests).toBe(2);
});

test('a check resolves to the object of check --json, and writes nothing', async () => {
  const out = path.join(await workspace(), 'runs');
  const checked = await check({ input: path.join(root, 'fixtures/signals-with-faults.csv'), out });
  expect(checked).toMatchObject({ dryRun: true, exitCode: 3, rows: { read: 13, valid: 6, invalid: 7 } });
  expect(existsSync(out)).toBe(false);
});
