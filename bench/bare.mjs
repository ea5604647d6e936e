/**
 * The bare loop: only posts prepared bodies. It measures how fast one process with undici can send requests to the sink:
 * the upper limit of every other figure.
 *
 * `node bench/bare.mjs URL ROWS CONNECTIONS`: ROWS records, 100 a request. Prints one JSON object: `seconds`, the time
 * of the loop, without start-up.
 */
import { Pool } from 'undici';
import { recordOf } from './data.mjs';

const BATCH = 100;
/** Number of different bodies: together larger than a processor's cache, like those of an upload. */
const BODIES = 64;

const [url = '', rows = '', connections = ''] = process.argv.slice(2);
const bodies = Array.from({ length: BODIES }, (_, body) => bodyOf(body * BATCH, BATCH));
const whole = Math.floor(Number(rows) / BATCH);
const rest = Number(rows) % BATCH;
const requests = whole + (rest === 0 ? 0 : 1);

function bodyOf(first, count) {
  const signals = Array.from({ length: count }, (_, index) => recordOf(first + index));
  return Buffer.from(JSON.stringify({ signals }));
}

const pool = new Pool(url, { connections: Number(connections), pipelining: 1 });
const headers = { authorization: 'Bearer key', 'content-type': 'application/json' };
let next = 0;
let answered = 0;

const started = performance.now();
await new Promise((resolve, reject) => {
  const send = () => {
    if (next === requests) return;
    const body = next < whole ? bodies[next % BODIES] : bodyOf(0, rest);
    next += 1;
    let status = 0;
    pool.dispatch(
      { path: '/v1/signals/ingest', method: 'POST', headers, body },
      {
        onRequestStart() {},
        onResponseStart(_controller, code) {
          status = code;
        },
        onResponseData() {},
        onResponseEnd() {
          if (status !== 200) reject(new Error(`answered ${status}`));
          answered += 1;
          if (answered === requests) resolve();
          else send();
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      },
    );
  };
  for (let connection = 0; connection < Number(connections); connection += 1) send();
});
process.stdout.write(`${JSON.stringify({ seconds: (performance.now() - started) / 1000 })}\n`);
await pool.close();
