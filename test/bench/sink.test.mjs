import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSink } from '../../bench/sink.mjs';

let sink;

beforeAll(async () => {
  sink = await startSink();
});
beforeEach(() => sink.reset());
afterAll(() => sink.close());

const request = (path, body) =>
  `POST ${path} HTTP/1.1\r\nHost: sink\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const signals = (count) => JSON.stringify({ signals: Array.from({ length: count }, () => ({ company_name: 'A' })) });
const lookUp = async (socket) => (await once(socket, 'data'))[0].toString();

async function open() {
  const socket = connect(Number(new URL(sink.url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket.setNoDelay(true);
}

describe('the sink', () => {
  it('answers with the number of records that came', async () => {
    const socket = await open();
    socket.write(request('/v1/signals/ingest', signals(37)));
    const answer = await lookUp(socket);
    socket.destroy();
    expect(JSON.parse(answer.split('\r\n\r\n')[1])).toEqual({
      success: true,
      batchId: 'b1',
      stats: { accepted: 37, deduplicated: 0, rejected: 0 },
    });
    expect(await sink.counts()).toMatchObject({ requests: 1, records: 37, largest: 37, refused: 0 });
  });

  it('understands a request wherever it is torn', async () => {
    const whole = request('/v1/signals/ingest', signals(3));
    const head = whole.indexOf('\r\n\r\n');
    const cuts = [1, head - 1, head, head + 1, head + 2, head + 3, head + 4, head + 5, whole.length - 1];
    const socket = await open();
    for (const cut of cuts) {
      socket.write(whole.slice(0, cut));
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.write(whole.slice(cut));
      expect(await lookUp(socket)).toContain('"accepted":3');
    }
    socket.destroy();
    expect(await sink.counts()).toMatchObject({ requests: cuts.length, records: 3 * cuts.length });
  });

  it('counts the records of a bulk body, which has a line before each', async () => {
    const socket = await open();
    socket.write(request('/_bulk', '{"index":{"_index":"signals"}}\n{"company_name":"A"}\n'.repeat(5)));
    expect(await lookUp(socket)).toContain('x-elastic-product: Elasticsearch');
    socket.destroy();
    expect(await sink.counts()).toMatchObject({ requests: 1, records: 5 });
  });

  it('keeps the answer back for as long as it is told', async () => {
    await sink.reset(150);
    const socket = await open();
    const started = performance.now();
    socket.write(request('/v1/signals/ingest', signals(1)));
    await lookUp(socket);
    socket.destroy();
    expect(performance.now() - started).toBeGreaterThanOrEqual(149);
  });

  it('counts connections that have a request under way together, and what it does not know', async () => {
    const sockets = [await open(), await open(), await open()];
    sockets[0].write(request('/elsewhere', '{}'));
    expect(await lookUp(sockets[0])).toContain('501');
    const whole = request('/v1/signals/ingest', signals(2));
    for (const socket of sockets.slice(1)) socket.write(whole.slice(0, -3));
    await expect.poll(async () => (await sink.counts()).connections).toBe(2);
    for (const socket of sockets.slice(1)) {
      socket.write(whole.slice(-3));
      await lookUp(socket);
    }
    for (const socket of sockets) socket.destroy();
    const again = await open();
    again.write(whole);
    await lookUp(again);
    again.destroy();
    expect(await sink.counts()).toMatchObject({ requests: 3, records: 6, refused: 1, connections: 2 });
  });
});
