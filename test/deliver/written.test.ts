/** When the memory of a body may be used again: an answer may come before the end of its request was written. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { HttpTransport, type Transport } from '../../src/deliver/http.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import { Sealer } from '../../src/prepare/sealer.ts';

const { digestOf } = await loadDigests();

const RECEIPT = '{"success":true}';
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${RECEIPT.length}\r\n\r\n${RECEIPT}`;
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

function transportTo(baseUrl: string): Transport {
  const transport = new HttpTransport({ baseUrl, key: 'k', agent: 'test', connections: 2, timeoutMs: 30_000 });
  open.push(transport);
  return transport;
}

const post = (transport: Transport, body: Uint8Array) => transport.post('/', body, () => undefined);

describe('a transport', () => {
  test('has not written all while a service that has answered already reads on', async () => {
    let reader: Socket | undefined;
    const url = await service((socket) => {
      reader = socket;
      socket.once('data', () => {
        socket.pause();
        socket.write(ANSWER);
      });
    });
    const transport = transportTo(url);
    expect(transport.hasWritten()).toBe(true);
    const result = await post(transport, Buffer.alloc(LARGE, 'x'));
    expect(result).toMatchObject({ kind: 'answered', status: 200, written: false });
    expect(transport.hasWritten()).toBe(false);
    reader?.resume();
    await expect.poll(() => transport.hasWritten()).toBe(true);
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
    expect(transport.hasWritten()).toBe(true);
  });
});

describe('bodies whose memory is used again', () => {
  test('arrive as they were sealed, at a service that answers first and reads later', async () => {
    /** SHA-256 of each body that arrived whole. */
    const arrived: string[] = [];
    const url = await service((socket) => {
      let bytes = Buffer.alloc(0);
      let answered = false;
      socket.on('data', (chunk) => {
        bytes = Buffer.concat([bytes, chunk]);
        for (;;) {
          const head = bytes.indexOf('\r\n\r\n') + 4;
          if (head < 4) return;
          if (!answered) {
            answered = true;
            socket.write(ANSWER);
            socket.pause();
            setTimeout(() => socket.resume(), 20);
          }
          const size = Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', 0, head))?.[1]);
          if (bytes.length < head + size) return;
          arrived.push(digestOf(bytes.subarray(head, head + size)));
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
    for (let n = 0; n < 18; n += 1) {
      const at = { source: 0, line: n + 2, nextLine: n + 3, row: n + 1, start: n * 10, end: n * 10 + 10 };
      // Too large for a write to be done at once.
      const text = String.fromCharCode(0x41 + n).repeat(5_000_000);
      const batch = sealer.add(at, JSON.stringify({ text }), [])?.batch;
      if (batch === undefined) throw new Error('a batch of one record was not sealed');
      if (memory.has(batch.payload.buffer)) reused += 1;
      memory.add(batch.payload.buffer);
      sealed.push(batch.digest);
      await post(transport, batch.payload);
      if (n % 3 === 2) await expect.poll(() => transport.hasWritten()).toBe(true);
      if (transport.hasWritten()) batch.release?.();
    }
    await expect.poll(() => arrived.length).toBe(18);
    expect(arrived.toSorted()).toEqual(sealed.toSorted());
    expect(reused).toBeGreaterThan(3);
  });
});
