import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { loadDigests } from '../../src/lib/digest.ts';
import { type InjectedFault, type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { event, ingest, KEY, opened, SIGNALS, SOCIAL, signal } from '../support/open-sandbox.ts';
import { problemFrom } from '../support/problems.ts';
import { asJson, call, lines, post } from '../support/sandbox-client.ts';

const { digestOf } = await loadDigests();

const { start } = opened();

/** Different signals; `from` is the number of the first one. */
function signals(count: number, from = 1): { signals: object[] } {
  return { signals: Array.from({ length: count }, (_, index) => signal(from + index)) };
}

describe('start and end', () => {
  test('names the port that is in use', async () => {
    const port = Number(new URL((await start()).url).port);
    expect(await problemFrom(startSandbox({ key: KEY, port }))).toMatchObject({
      code: 'sandbox.port',
      message: expect.stringMatching(/^The sandbox cannot listen on port \d+: .*in use/),
    });
  });

  test('closes idle connections and unanswered requests on close, which may be called twice', async () => {
    const sandbox = await start({ injectFault: () => ({ hang: 'before' }) });
    const agent = new Agent({ keepAlive: true });
    expect((await call(`${sandbox.url}/elsewhere`, { agent })).status).toBe(404);
    const hanging = expect(post(sandbox.url + SIGNALS, KEY, signals(1))).rejects.toThrow();
    await expect.poll(() => sandbox.requests().length).toBe(2);
    await Promise.all([sandbox.close(), sandbox.close()]);
    await hanging;
    await expect(call(`${sandbox.url}/`, { agent: new Agent() })).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });
});

describe('the store', () => {
  test('recognises duplicates of earlier batches until it is reset', async () => {
    const sandbox = await start();
    const stats = async (): Promise<unknown> =>
      JSON.parse((await post(sandbox.url + SIGNALS, KEY, signals(3))).text).stats;
    expect(await stats()).toStrictEqual({ accepted: 3, deduplicated: 0, rejected: 0 });
    expect(await stats()).toStrictEqual({ accepted: 0, deduplicated: 3, rejected: 0 });
    expect((await call(`${sandbox.url}/sandbox/reset`, { method: 'POST' })).text).toBe('{"success":true}');
    expect(sandbox.requests()).toStrictEqual([]);
    expect((await call(`${sandbox.url}/sandbox/records`)).text).toBe('');
    expect(await stats()).toStrictEqual({ accepted: 3, deduplicated: 0, rejected: 0 });
    expect(sandbox.requests().map(({ n }) => n)).toStrictEqual([3]);
  });

  test('returns more records than fit in one block', async () => {
    const sandbox = await start();
    for (let batch = 0; batch < 20; batch++) {
      await post(sandbox.url + SIGNALS, KEY, signals(100, batch * 100));
    }
    const text = (await call(`${sandbox.url}/sandbox/records`)).text;
    expect(text.length).toBeGreaterThan(200_000);
    expect(new Set(text.split('\n')).size).toBe(2001);
  });

  test('still recognises duplicates without keepRecords', async () => {
    const sandbox = await start({ keepRecords: false });
    await post(sandbox.url + SIGNALS, KEY, signals(2));
    expect(JSON.parse((await post(sandbox.url + SIGNALS, KEY, signals(3))).text).stats).toStrictEqual({
      accepted: 1,
      deduplicated: 2,
      rejected: 0,
    });
    const reply = await call(`${sandbox.url}/sandbox/records`);
    expect(reply.status).toBe(404);
    expect(JSON.parse(reply.text).error.code).toBe('not_kept');
  });
});

describe('the log', () => {
  test('has each request and its result, and never the key', async () => {
    const sandbox = await start();
    const before = performance.now();
    const body = JSON.stringify({ signals: [...signals(2).signals, ...signals(1).signals, {}] });
    const taken = await post(sandbox.url + SIGNALS, KEY, undefined, { body });
    await post(sandbox.url + SOCIAL, KEY, { events: [event, {}] });
    await post(`${sandbox.url + SIGNALS}?key=${KEY}`, `${KEY}-wrong`, signals(1));
    await call(`${sandbox.url}/elsewhere`);
    const requests = asJson(sandbox.requests());

    expect(requests).toMatchObject([
      {
        n: 1,
        method: 'POST',
        path: SIGNALS,
        status: 200,
        type: 'signals',
        records: 4,
        bytes: Buffer.byteLength(body),
        processed: true,
        batchId: JSON.parse(taken.text).batchId,
        accepted: 2,
        deduplicated: 1,
        rejected: 1,
        digest: digestOf(Buffer.from(body)),
      },
      { n: 2, path: SOCIAL, type: 'social', status: 200, records: 2, accepted: 1, rejected: 1, promoted: 1 },
      { n: 3, path: SIGNALS, type: 'signals', status: 401, records: 0, processed: false },
      { n: 4, method: 'GET', path: '/elsewhere', status: 404, records: 0, bytes: 0, processed: false },
    ]);
    expect(requests[3]).not.toHaveProperty('type');
    expect(requests[0]).not.toHaveProperty('promoted');
    expect(requests[2]).not.toHaveProperty('batchId');
    const times = requests.map(({ at }) => at);
    expect(times).toStrictEqual([...times].sort((a, b) => a - b));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
    expect(Math.max(...times)).toBeLessThanOrEqual(performance.now());
    expect(requests.every(({ time }) => new Date(time).toISOString() === time)).toBe(true);

    const written = (await call(`${sandbox.url}/sandbox/requests`)).text;
    expect(lines(written)).toStrictEqual(requests);
    expect(written).not.toContain(KEY);
    expect(written).not.toContain('Company 1');
  });
});

describe('its own paths', () => {
  test.each([
    ['GET', '/sandbox/reset', 405],
    ['POST', '/sandbox/records', 405],
    ['DELETE', '/sandbox/requests', 405],
    ['GET', '/sandbox/elsewhere', 404],
  ])('answers %s %s with %i', async (method, where, status) => {
    const sandbox = await start();
    expect((await call(sandbox.url + where, { method })).status).toBe(status);
    expect(sandbox.requests()).toStrictEqual([]);
  });

  test.each([
    [{ host: 'records.example' }],
    [{ host: 'localhost.records.example' }],
    [{ origin: 'https://records.example' }],
    [{ origin: 'null' }],
  ])('are closed to a web page of somebody else (%o)', async (headers) => {
    const sandbox = await start();
    await post(sandbox.url + SIGNALS, KEY, signals(1));
    expect((await call(`${sandbox.url}/sandbox/records`, { headers })).status).toBe(403);
    expect((await call(`${sandbox.url}/sandbox/reset`, { method: 'POST', headers })).status).toBe(403);
    expect(sandbox.requests()).toHaveLength(1);
  });

  test('accept clients on this machine under its own names', async () => {
    const sandbox = await start();
    const { port } = new URL(sandbox.url);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const headers = { host, origin: `http://${host}` };
      expect((await call(`${sandbox.url}/sandbox/requests`, { headers })).status).toBe(200);
    }
  });
});

describe('injected faults', () => {
  /** One request with a fault, and what the sandbox remembers of it. */
  async function meet(behaviour: InjectedFault): Promise<{
    sandbox: Sandbox;
    sent: ReturnType<typeof post>;
    headers: number[];
  }> {
    const sandbox = await start({ injectFault: ({ n }) => (n === 1 ? behaviour : undefined) });
    const headers: number[] = [];
    const sent = post(sandbox.url + SIGNALS, KEY, signals(2), { onHeaders: (status) => headers.push(status) });
    return { sandbox, sent, headers };
  }

  /** Whether the first request's records are there: sent again, they are duplicates. */
  async function isTaken(sandbox: Sandbox): Promise<boolean> {
    const reply = await post(sandbox.url + SIGNALS, KEY, signals(2));
    return JSON.parse(reply.text).stats.deduplicated === 2;
  }

  test('answers a status with headers and body, without processing the batch', async () => {
    const { sandbox, sent } = await meet({
      status: 503,
      headers: { 'Retry-After': '7', 'Content-Type': 'text/html' },
      body: '<h1>Down</h1>',
    });
    expect(await sent).toMatchObject({
      status: 503,
      headers: { 'retry-after': '7', 'content-type': 'text/html' },
      text: '<h1>Down</h1>',
    });
    expect(sandbox.requests()).toMatchObject([{ status: 503, records: 2, processed: false, fault: 'status' }]);
    expect(await isTaken(sandbox)).toBe(false);
  });

  test.each([
    ['before', [], null],
    ['after-headers', [200], 200],
  ] as const)('hangs %s, after processing the batch', async (hang, wanted, status) => {
    const { sandbox, sent, headers } = await meet({ hang });
    const lost = expect(sent).rejects.toThrow();
    await expect.poll(() => sandbox.requests().length).toBe(1);
    expect(await isTaken(sandbox)).toBe(true);
    await expect.poll(() => headers.length).toBe(wanted.length);
    expect(headers).toStrictEqual(wanted);
    expect(sandbox.requests()[0]).toMatchObject({ status, processed: true, fault: 'hang' });
    await sandbox.close();
    await lost;
  });

  test('resets the connection before an answer, without processing the batch', async () => {
    const { sandbox, sent, headers } = await meet({ reset: 'before' });
    await expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(headers).toStrictEqual([]);
    expect(sandbox.requests()).toMatchObject([{ status: null, processed: false, fault: 'reset' }]);
    expect(await isTaken(sandbox)).toBe(false);
  });

  test('resets the connection after the headers, after processing the batch', async () => {
    const { sandbox, sent, headers } = await meet({ reset: 'after-headers' });
    await expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(headers).toStrictEqual([200]);
    expect(sandbox.requests()).toMatchObject([{ status: 200, processed: true, fault: 'reset' }]);
    expect(await isTaken(sandbox)).toBe(true);
  });

  test('cuts the answer in its middle, after processing the batch', async () => {
    const sandbox = await start({ injectFault: ({ n }) => (n === 1 ? { cut: true } : undefined) });
    const socket = dial(sandbox);
    socket.write(raw(JSON.stringify(signals(2))));
    const [head = '', body = ''] = (await answers(socket)).split('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(body).toMatch(/^\{"success":true,"batchId":/);
    expect(body.length).toBe(Math.floor(length / 2));
    expect(sandbox.requests()).toMatchObject([{ status: 200, processed: true, fault: 'cut' }]);
    expect(await isTaken(sandbox)).toBe(true);
  });
});

// Clients that are slow, hasty, broken or many.

function dial(sandbox: Sandbox): Socket {
  return connect(Number(new URL(sandbox.url).port), '127.0.0.1');
}

function raw(body: string, more = ''): string {
  const head = `POST ${SIGNALS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json`;
  return `${head}\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Everything that comes back until the sandbox hangs up, or until `enough` holds. */
function answers(socket: Socket, enough: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (enough(text)) {
        socket.destroy();
        resolve(text);
      }
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

const body = (number: number): string => JSON.stringify({ signals: [signal(number)] });

test('keeps serving after a client disconnects before its answer', async () => {
  const sandbox = await start({ injectFault: ({ n }) => (n === 1 ? { latencyMs: 50 } : undefined) });
  const socket = dial(sandbox);
  socket.on('error', () => undefined);
  socket.write(raw(body(1)));
  await expect.poll(() => sandbox.requests().length).toBe(1);
  socket.destroy();
  const again = JSON.parse((await ingest(sandbox, [signal(1)])).text);
  expect(again.stats).toStrictEqual({ accepted: 0, deduplicated: 1, rejected: 0 });
});
