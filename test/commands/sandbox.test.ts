import { Agent } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { ProcessContext } from '../../src/commands/command.ts';
import { command as sandbox } from '../../src/commands/sandbox.ts';
import { ProblemError } from '../../src/model/problem.ts';
import type { RawOptions } from '../../src/options/option-spec.ts';
import { Streams } from '../../src/terminal/streams.ts';
import { call, lines, post } from '../support/sandbox-client.ts';

interface Running {
  /** What stands on stdout so far. */
  output(): string;
  /** What stands on stderr so far. */
  errors(): string;
  readonly url: string;
  readonly key: string;
  /** Interrupts it; resolves to the exit code. */
  end(): Promise<number>;
}

function start(
  options: RawOptions,
  signal: AbortSignal,
): { output: () => string; errors: () => string; code: Promise<number> } {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let text = '';
  let told = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    told += chunk;
  });
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const streams = new Streams({ stdin: new PassThrough(), stdout, stderr, env: {} });
  const context: ProcessContext = {
    streams,
    env: {},
    invocation: 'npx signals',
    argv: ['sandbox'],
    signal,
    shell: 'posix',
    takeSignals: () => undefined,
  };
  const code = sandbox.run?.(context, [], options) ?? Promise.reject(new Error('the command has no run'));
  return { output: () => text, errors: () => told, code };
}

async function running(options: RawOptions = {}): Promise<Running> {
  const controller = new AbortController();
  const { output, errors, code } = start(options, controller.signal);
  await expect.poll(output).toContain('Press Ctrl-C to stop it.');
  return {
    output,
    errors,
    url: /base URL +(\S+)/.exec(output())?.[1] ?? '',
    key: /key +(\S+)/.exec(output())?.[1] ?? '',
    end: () => {
      controller.abort('SIGINT');
      return code;
    },
  };
}

const signal = { company_name: 'Acme', signal_name: 'Opens an office', source: 'news' };

test('prints an address, a key of its own and the command to paste, and they are right', async () => {
  const one = await running();
  expect(one.output()).toContain(`  SIGNALS_API_KEY=${one.key} npx signals upload --base-url ${one.url} FILE\n`);
  const reply = await post(`${one.url}/v1/signals/ingest`, one.key, { signals: [signal] });
  expect(reply.status).toBe(200);
  expect(lines((await call(`${one.url}/sandbox/records`)).text)).toHaveLength(1);
  const two = await running();
  expect(two.key).not.toBe(one.key);
  expect(await Promise.all([one.end(), two.end()])).toStrictEqual([0, 0]);
  await expect(call(one.url, { agent: new Agent() })).rejects.toThrow('ECONNREFUSED');
});

test('ends with one line of counts', async () => {
  const { url, key, end, output } = await running({ key: 'my-key' });
  expect(key).toBe('my-key');
  await post(`${url}/v1/signals/ingest`, key, { signals: [signal, signal, {}] });
  const event = { platform: 'linkedin', engagement_type: 'mention' };
  await post(`${url}/v1/social/ingest`, key, { events: [event, { ...event, warmth_hint: 1 }, {}] });
  const before = output();
  expect(await end()).toBe(0);
  expect(output().slice(before.length)).toBe(
    'The sandbox stopped. 2 requests; market signals: 1 accepted, 1 deduplicated, 1 rejected; social events: 2 accepted, 1 rejected, 1 promoted.\n',
  );
});

test('prints its address and key as one JSON object with --json, and the rest on stderr', async () => {
  const controller = new AbortController();
  const { output, errors, code } = start({ json: true }, controller.signal);
  await expect.poll(output).toContain('\n');
  const { baseUrl, key } = JSON.parse(output());
  expect((await post(`${baseUrl}/v1/signals/ingest`, key, { signals: [signal] })).status).toBe(200);
  controller.abort('SIGINT');
  expect(await code).toBe(0);
  expect(output().trim().split('\n')).toHaveLength(1);
  expect(errors()).toContain('1 accepted');
});

test('has every switch set that is given', async () => {
  const { url, key, end } = await running({
    variants: 'b',
    seed: '7',
    fault: ['status=503,first=1,retry-after=9', 'cut,after=9'],
  });
  const send = (body: object, where = 'social'): ReturnType<typeof post> =>
    post(`${url}/v1/${where}/ingest`, key, body);
  const event = { platform: 'linkedin', engagement_type: 'mention' };
  expect(await send({ events: [event] })).toMatchObject({ status: 503, headers: { 'retry-after': '9' } });
  expect(JSON.parse((await send({ signals: [signal] }, 'signals')).text).stats.rejected).toBe(1);
  await end();
});

test.each([
  [{ port: '65536' }, 'settings.value'],
  [{ port: '80a' }, 'settings.value'],
  [{ port: '' }, 'settings.value'],
  [{ port: '-1' }, 'settings.value'],
  [{ seed: '-1' }, 'settings.value'],
  [{ fault: ['explode'] }, 'sandbox.fault'],
] as [RawOptions, string][])('refuses %o', async (options, code) => {
  const error = await start(options, new AbortController().signal).code.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error instanceof ProblemError ? error.problems[0]?.code : undefined).toBe(code);
});
