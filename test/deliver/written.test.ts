/**
 * What a transport reports of an answer, and when the memory of a body may be used again: an answer may come before the end of
 * its request was written.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { failedAttempt, HttpTransport, type Transport, type TransportOptions } from '../../src/deliver/http.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import { Sealer } from '../../src/prepare/sealer.ts';

const { digestOf } = await loadDigests();

const RECEIPT = '{"success":true}';
const answer = (body: string | Buffer, head = '') =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ]);
const ANSWER = answer(RECEIPT);
const MIB = 1024 * 1024;
/** More than the system takes of a write at once. */
const LARGE = 16 * 1024 * 1024;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function service(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  const address = server.address();
  return typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '';
}

function transportTo(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const others = { key: 'key-12345', agent: 'test', connections: 2, timeoutMs: 30_000, ...options };
  const transport = new HttpTransport({ baseUrl, ...others });
  open.push(transport);
  return transport;
}

const post = (transport: Transport, body: Uint8Array) => transport.post('/', body, () => undefined);

describe('a transport', () => {
  const whole = { kind: 'answered', status: 200, written: true, whole: true, body: RECEIPT };
  const cut = { kind: 'answered', status: 200, whole: false };
  const failed = { kind: 'failed', left: true, cause: 'reset' };
  const byByte = (text: string) => async (socket: Socket) => {
    for (const byte of text) {
      socket.write(byte);
      await new Promise(setImmediate);
    }
  };
  test.each<[string, (socket: Socket) => unknown, object]>([
    ['an answer', (socket) => socket.write(ANSWER), { ...whole, headers: [] }],
    [
      'the time to wait, and no other header',
      (socket) => socket.write(answer(RECEIPT, 'retry-after: 7\r\nserver: x\r\n')),
      { ...whole, headers: [['retry-after', '7']] },
    ],
    ['no key', (socket) => socket.write(answer('<key-12345>')), { ...whole, body: '<[API key]>' }],
    ['gzip', (socket) => socket.write(answer(gzipSync(RECEIPT), 'content-encoding: GZIP\r\n')), whole],
    ['deflate', (socket) => socket.write(answer(deflateSync(RECEIPT), 'content-encoding: deflate\r\n')), whole],
    ['brotli', (socket) => socket.write(answer(brotliCompressSync(RECEIPT), 'content-encoding: br\r\n')), whole],
    ['identity', (socket) => socket.write(answer(RECEIPT, 'content-encoding: Identity \r\n')), whole],
    ['an unknown encoding', (socket) => socket.write(answer('x', 'content-encoding: zz\r\n')), { ...cut, body: '' }],
    [
      'more than 1 MiB, decompressed',
      (socket) => socket.write(answer(brotliCompressSync(RECEIPT.padEnd(MIB + 1)), 'content-encoding: br\r\n')),
      { ...cut, body: '' },
    ],
    ['1 MiB', (socket) => socket.write(answer(RECEIPT.padEnd(MIB))), whole],
    ['more than 1 MiB', (socket) => socket.write(answer(RECEIPT.padEnd(MIB + 1))), { ...cut, body: RECEIPT }],
    [
      'a cut-off answer',
      (socket) => socket.end(ANSWER.subarray(0, -1)),
      { ...cut, written: false, body: RECEIPT.slice(0, -1) },
    ],
    [
      'an answer after two that say to continue, byte by byte',
      byByte(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 x\r\na: b\r\n\r\n${ANSWER}`),
      whole,
    ],
    ['a body like that', byByte(`${answer('HTTP/1.1 100 x\r\n\r\n')}`), { ...whole, body: 'HTTP/1.1 100 x' }],
    [
      'an answer together with one that says to continue',
      (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${ANSWER}`),
      whole,
    ],
    [
      'what says to continue, and does not end',
      (socket) => socket.write(`HTTP/1.1 100 x\r\na: ${'b'.repeat(20_000)}`),
      { ...failed, cause: 'other' },
    ],
    ['a lost connection', (socket) => socket.end(), failed],
    ['a reset', (socket) => socket.resetAndDestroy(), { ...failed, code: 'ECONNRESET' }],
    ['what is no HTTP', (socket) => socket.end('x\r\n\r\n'), { ...failed, cause: 'other' }],
    ['no answer', () => undefined, { ...failed, cause: 'timeout', code: 'TIMEOUT', message: 'no answer within 0.3 s' }],
  ])('reports %s', async (what, respond, expected) => {
    const url = await service((socket) => socket.once('data', () => respond(socket)));
    const transport = transportTo(url, what === 'no answer' ? { timeoutMs: 300 } : {});
    let left = false;
    const result = await transport.post('/', Buffer.from('{}'), () => (left = true));
    expect(left).toBe(true);
    // A mebibyte of blanks takes minutes to compare.
    const answered = 'body' in result && { body: result.body.trimEnd(), headers: Object.entries(result.headers) };
    expect({ ...result, ...answered }).toMatchObject(expected);
  });

  test('waits a second longer for an answer if the process was suspended meanwhile', async () => {
    for (const [reply, expected] of [
      [ANSWER, whole],
      ['', { ...failed, cause: 'timeout' }],
    ] as const) {
      let respond: () => void = () => undefined;
      const url = await service((socket) => socket.once('data', () => (respond = () => void socket.write(reply))));
      const answering = post(transportTo(url, { timeoutMs: 1000 }), Buffer.from('{}'));
      const late = performance.now() + 3_600_000;
      // It is asked when the time is over.
      vi.spyOn(performance, 'now').mockImplementation(() => {
        respond();
        return late;
      });
      expect(await answering).toMatchObject(expected);
      vi.restoreAllMocks();
    }
  });

  const late = { ...failed, cause: 'timeout', code: 'TIMEOUT' };
  test.each<[string, (socket: Socket) => unknown, object[], number]>([
    ['takes too long', () => vi.advanceTimersByTime(30_000), [late, { ...late, left: false }], 2],
    ['is too long', (socket) => socket.write(answer(' '.repeat(2 * MIB)).subarray(0, -1)), [cut, whole], 3],
  ])(
    'ends the connection of an answer that %s, and sends only what is waited for',
    async (_, respond, expected, all) => {
      let requests = 0;
      const url = await service((socket) =>
        socket.on('data', () => {
          requests += 1;
          if (requests === 1) respond(socket);
          else socket.write(ANSWER);
        }),
      );
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
      const transport = transportTo(url, { connections: 1 });
      let left = 0;
      const send = () => transport.post('/', Buffer.from('{}'), () => (left += 1));
      expect(await Promise.all([send(), send()])).toMatchObject(expected);
      // One that is left would keep the program from ending.
      expect(vi.getTimerCount()).toBe(0);
      vi.useRealTimers();
      expect(await send()).toMatchObject(whole);
      expect([requests, left]).toEqual([all, all]);
    },
  );

  test('reports what never left: nothing listens there, or it was abandoned before', async () => {
    expect(await post(transportTo('http://127.0.0.1:9'), Buffer.from('{}'))).toMatchObject({
      kind: 'failed',
      left: false,
      cause: 'connect',
    });
    const unwritable = transportTo('http://x.test', { key: 'ключ' });
    expect(await post(unwritable, Buffer.from('{}'))).toMatchObject({ left: false, cause: 'url' });
    let requests = 0;
    const transport = transportTo(await service(() => requests++));
    transport.abandon();
    expect(await post(transport, Buffer.from('{}'))).toMatchObject({ left: false, code: 'INTERRUPTED' });
    expect(requests).toBe(0);
  });

  test('closes its connections, and waits for what else is to be closed', async () => {
    const closed: string[] = [];
    const url = await service((socket) => {
      socket.on('close', () => closed.push('connection')).on('data', () => socket.write(ANSWER));
    });
    const onClose = async () => {
      await new Promise(setImmediate);
      closed.push('store');
    };
    const transport = transportTo(url, { onClose });
    await post(transport, Buffer.from('{}'));
    await transport.close();
    expect(closed).toContain('store');
    await expect.poll(() => closed).toContain('connection');
  });

  test('abandons a request in flight', async () => {
    const transport = transportTo(await service((socket) => socket.once('data', () => transport.abandon())));
    expect(await post(transport, Buffer.from('{}'))).toMatchObject({ left: true, code: 'INTERRUPTED' });
  });

  test('sends what the API asks for, and the key in one header', async () => {
    let head = '';
    const url = await service((socket) => {
      socket.on('data', (chunk) => {
        head += chunk.toString();
        if (head.endsWith('{}')) socket.write(ANSWER);
      });
    });
    await transportTo(`${url}/base/`).post('/v1/x', Buffer.from('{}'), () => undefined);
    expect(head.toLowerCase().split('\r\n')).toEqual(
      expect.arrayContaining([
        'post /base/v1/x http/1.1',
        'content-type: application/json',
        'accept: application/json',
        'accept-encoding: identity',
        'authorization: bearer key-12345',
        'user-agent: test',
      ]),
    );
  });

  test('has not written all while a service that has answered already reads on', async () => {
    const url = await service((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write(ANSWER);
      });
    });
    const transport = transportTo(url);
    const result = await post(transport, Buffer.alloc(LARGE, 'x'));
    expect(result).toMatchObject({ ...whole, written: false });
  });

  test('has written all when a service that read everything has answered', async () => {
    const url = await service((socket) => {
      let bytes = 0;
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes >= 1000) socket.write(ANSWER);
      });
    });
    const transport = transportTo(url);
    expect(await post(transport, Buffer.alloc(1000, 'x'))).toMatchObject({ written: true });
  });
});

test.each([
  ['EAI_AGAIN', 'dns'],
  ['EHOSTUNREACH', 'connect'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect'],
  ['ETIMEDOUT', 'timeout'],
  ['EPIPE', 'reset'],
  ['EMFILE', 'files'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'plain'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'handshake'],
])('%s is a failure of the kind %s', (code, cause) => {
  const left = cause !== 'handshake';
  const expected = { kind: 'failed', cause, code, left };
  expect(failedAttempt(Object.assign(new Error('why'), { code }), true)).toEqual({
    ...expected,
    message: expect.any(String),
  });
  expect(failedAttempt(Object.assign(new Error(), { code }), left)).toMatchObject({
    ...expected,
    message: expect.stringMatching(/./),
  });
});

test('an error without a code is named', () => {
  const aborted = new DOMException('why', 'AbortError');
  expect(failedAttempt(aborted, true)).toMatchObject({ code: 'AbortError', cause: 'other', left: true });
});

describe('bodies whose memory is used again', () => {
  test('arrive as they were sealed, at a service that answers first and reads later', async () => {
    /** SHA-256 of each body that arrived whole. */
    const arrived: string[] = [];
    const url = await service((socket) => {
      let bytes = Buffer.alloc(0);
      let answered = false;
      let missing = 0;
      const more: Buffer[] = [];
      socket.on('data', (chunk) => {
        more.push(chunk);
        missing -= chunk.length;
        if (missing > 0) return;
        bytes = Buffer.concat([bytes, ...more.splice(0)]);
        for (;;) {
          const head = bytes.indexOf('\r\n\r\n') + 4;
          if (head < 4) return;
          const start = bytes.toString('latin1', 0, head);
          // Every third one is answered when it has arrived, and the connection has learnt that it is written.
          const isEarly = Number(/^POST \/(\d)/.exec(start)?.[1]) % 3 !== 2;
          if (!answered && isEarly) {
            answered = true;
            socket.write(ANSWER);
            socket.pause();
            setTimeout(() => socket.resume(), 20);
          }
          const size = Number(/content-length: (\d+)/i.exec(start)?.[1]);
          missing = head + size - bytes.length;
          if (missing > 0) return;
          arrived.push(digestOf(bytes.subarray(head, head + size)));
          if (!isEarly) setTimeout(() => socket.write(ANSWER), 20);
          bytes = bytes.subarray(head + size);
          answered = false;
        }
      });
    });
    const transport = transportTo(url);
    const sealer = new Sealer({ envelope: 'signals', records: 1, bytes: LARGE }, { digestOf });
    const sealed: string[] = [];
    let reused = 0;
    const memory = new Set<ArrayBufferLike>();
    for (let n = 0; n < 9; n += 1) {
      const at = { source: 0, line: n + 2, nextLine: n + 3, row: n + 1, start: n * 10, end: n * 10 + 10 };
      // Too large for a write to be done at once.
      const text = String.fromCharCode(0x41 + n).repeat(5_000_000);
      const batch = sealer.add(at, JSON.stringify({ text }), [])?.batch;
      if (batch === undefined) throw new Error('a batch of one record was not sealed');
      if (memory.has(batch.payload.buffer)) reused += 1;
      memory.add(batch.payload.buffer);
      sealed.push(batch.digest);
      const result = await transport.post(`/${n}`, batch.payload, () => undefined);
      if (result.kind === 'answered' && result.written) batch.release?.();
    }
    await expect.poll(() => arrived.length).toBe(9);
    expect(arrived.toSorted()).toEqual(sealed.toSorted());
    expect(reused).toBeGreaterThan(1);
  });
});
