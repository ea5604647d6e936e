/** Clients that are slow, hasty, broken or many. */
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { ingest, KEY, opened, SIGNALS, signal } from '../support/open-sandbox.ts';
import { call, lines } from '../support/sandbox-client.ts';

const { start } = opened();

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

test('answers pipelined requests in order of arrival', async () => {
  const sandbox = await start({ injectFault: ({ n }) => (n === 1 ? { latencyMs: 60 } : undefined) });
  const socket = dial(sandbox);
  // The second is invalid and the first is slow: mixing them up would show.
  socket.write(raw(body(1)) + raw('{') + raw(body(1), 'Connection: close\r\n'));
  const text = await answers(socket);
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toStrictEqual(['200', '400', '200']);
  expect([...text.matchAll(/"deduplicated":(\d)/g)].map(([, count]) => count)).toStrictEqual(['0', '1']);
  expect(sandbox.requests().map(({ n, status }) => [n, status])).toStrictEqual([
    [1, 200],
    [2, 400],
    [3, 200],
  ]);
});

test('serves other clients while one sends byte by byte', async () => {
  const sandbox = await start();
  const socket = dial(sandbox);
  socket.setNoDelay(true);
  const slow = answers(socket, (text) => text.includes('"stats"'));
  const text = raw(body(1));
  for (const byte of text.slice(0, -20)) socket.write(byte);
  for (let at = text.length - 20; at < text.length; at++) {
    expect((await ingest(sandbox, [signal(100 + at)])).status).toBe(200);
    socket.write(text.slice(at, at + 1));
  }
  expect(await slow).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  ['text that is not HTTP', 'hello\r\n\r\n', 400],
  ['two lengths', raw('{}').replace('Content-Length: 2', 'Content-Length: 2\r\nContent-Length: 3'), 400],
  ['a length and chunks', raw('{}', 'Transfer-Encoding: chunked\r\n'), 400],
  ['no Host', raw('{}').replace('Host: x\r\n', ''), 400],
  // Not much more than the 16 KiB that are allowed: what a server leaves unread makes a reset of its answer.
  ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
])('refuses %s and keeps serving', async (_what, text, status) => {
  const sandbox = await start();
  const socket = dial(sandbox);
  socket.write(text);
  expect(await answers(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect((await ingest(sandbox, [signal(1)])).status).toBe(200);
});

test('accepts an absolute URL instead of a path, as proxies send it', async () => {
  const sandbox = await start();
  const socket = dial(sandbox);
  socket.write(raw(body(1), 'Connection: close\r\n').replace(SIGNALS, `HTTP://x:1${SIGNALS}?a=b`));
  expect(await answers(socket)).toMatch(/^HTTP\/1\.1 200 /);
});

test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])(
  'answers %s of an operation with 405 and the allowed method',
  async (method) => {
    const sandbox = await start();
    const reply = await call(sandbox.url + SIGNALS, { method });
    expect(reply.status).toBe(405);
    expect(reply.headers['allow']).toBe('POST');
  },
);

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

describe('many clients at once', () => {
  test('get an answer each, and every record is counted once', async () => {
    const sandbox = await start();
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, n) => ingest(sandbox, [signal(n % 50), signal(1000 + n)])),
    );
    const stats = replies.map(({ text }) => JSON.parse(text).stats);
    const sum = (name: string): number => stats.reduce((total, each) => total + each[name], 0);
    expect([sum('accepted'), sum('deduplicated'), sum('rejected')]).toStrictEqual([150, 50, 0]);
    const kept = lines((await call(`${sandbox.url}/sandbox/records`)).text);
    expect(kept).toHaveLength(200);
    expect(new Set(kept.map(({ n }) => n)).size).toBe(100);
  });
});
