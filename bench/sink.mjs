/**
 * A service that accepts everything and stores nothing, so that the program is measured and not the service. It runs in a
 * separate process, speaks just enough HTTP/1.1 over `node:net`, and answers with correct receipts: it counts the records
 * of a body by its opening braces, because the texts of the benchmarks contain none (data.mjs).
 *
 * It answers in three forms, by the path of the request: that of the service, of Elasticsearch's `_bulk`, and of Mixpanel's
 * `/import`, so that the peers can send in their usual way. Its responses to the peers are the shortest that they accept,
 * which is in their favour.
 *
 * Limits: no TLS, no `Expect: 100-continue`, no chunked requests (answered 501). `Content-Length` is required.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

const OPENING_BRACE = 0x7b;

/** Braces of a body outside its records, braces of a record, and the response for n records. */
const forms = {
  '/v1/signals/ingest': {
    around: 1,
    each: 1,
    answer: (accepted) => ({
      success: true,
      batchId: 'b1',
      stats: { accepted, deduplicated: 0, rejected: 0 },
    }),
  },
  '/_bulk': { around: 0, each: 3, answer: () => ({ took: 1, errors: false, items: [] }) },
  '/import': {
    around: 0,
    each: 1,
    answer: (records) => ({ code: 200, status: 'OK', num_records_imported: records }),
  },
};

/**
 * What the sink counted since it was last reset.
 * @typedef {object} Counts
 * @property {number} requests answered with 200
 * @property {number} records in them
 * @property {number} bytes of their bodies
 * @property {number} largest number of records in one request
 * @property {number} maximum connections with a request in flight at the same time: one that a client closed may be
 * open for a moment longer, beside the one that took its place
 * @property {number} refused requests that had no form it knows
 * @property {number} cpu seconds that the sink itself used
 */

/**
 * Starts the sink in a separate process, on loopback.
 * @returns {Promise<{ url: string, reset: (latencyMs?: number) => Promise<void>, counts: () => Promise<Counts>, close: () => void }>}
 */
export async function startSink() {
  const child = fork(import.meta.filename, [], { execArgv: [], stdio: 'inherit' });
  const gone = new Promise((_, reject) => {
    child.on('exit', (code) => reject(new Error(`the sink ended early, exit code ${code}`)));
  });
  // Prevents an unhandled rejection while nothing waits for an answer.
  gone.catch(() => {});
  const hear = async () => (await Promise.race([once(child, 'message'), gone]))[0];
  const ask = (question) => {
    child.send(question);
    return hear();
  };
  const { port } = await hear();
  return {
    url: `http://127.0.0.1:${port}`,
    reset: (latencyMs = 0) => ask({ latencyMs }),
    counts: () => ask({}),
    close: () => child.disconnect(),
  };
}

let counts = noCounts();
let busy = 0;
let latencyMs = 0;
let cpuBefore = process.cpuUsage();

function noCounts() {
  return { requests: 0, records: 0, bytes: 0, largest: 0, connections: 0, refused: 0 };
}

/** The answers that were given once, ready to be written again. */
const ready = new Map();

function answerTo(path, form, records) {
  const key = `${path} ${records}`;
  const known = ready.get(key);
  if (known !== undefined) return known;
  const body = JSON.stringify(form.answer(records));
  const made = Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-elastic-product: Elasticsearch\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  ready.set(key, made);
  return made;
}

const REFUSAL = Buffer.from('HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');

/** Serves one connection: requests one after the other, each answered when its body is there. */
function serve(socket) {
  let head = '';
  let path = '';
  let form;
  /** Bytes of the body that have not come yet; -1 while the head is read. */
  let missing = -1;
  let braces = 0;

  let isBusy = false;
  const begin = () => {
    isBusy = true;
    busy += 1;
    counts.connections = Math.max(counts.connections, busy);
  };
  const end = () => {
    if (isBusy) busy -= 1;
    isBusy = false;
  };
  socket.setNoDelay(true);
  socket.on('close', end);
  // A peer that was killed resets its connections; what it did not deliver shows in the counts.
  socket.on('error', () => socket.destroy());

  const answer = () => {
    const records = (braces - form.around) / form.each;
    counts.requests += 1;
    counts.records += records;
    counts.largest = Math.max(counts.largest, records);
    const bytes = answerTo(path, form, records);
    const write = () => {
      end();
      socket.write(bytes);
    };
    if (latencyMs === 0) write();
    else setTimeout(write, latencyMs);
    missing = -1;
  };

  socket.on('data', (chunk) => {
    let from = 0;
    while (from < chunk.length) {
      if (missing < 0) {
        // A torn head is rare, and then looked at as one text: its end may be torn too.
        const known = head.length;
        const headEnd = known === 0 ? chunk.indexOf('\r\n\r\n', from, 'latin1') : -1;
        head += chunk.latin1Slice(from, headEnd < 0 ? chunk.length : headEnd);
        if (headEnd < 0) {
          const torn = head.indexOf('\r\n\r\n');
          if (torn < 0) return;
          from += torn + 4 - known;
          head = head.slice(0, torn);
        } else {
          from = headEnd + 4;
        }
        path = /^\S+ ([^\s?]*)/.exec(head)?.[1] ?? '';
        const length = /\r\ncontent-length: *(\d+)/i.exec(head);
        form = forms[path];
        head = '';
        if (form === undefined || length === null) {
          counts.refused += 1;
          socket.end(REFUSAL);
          return;
        }
        begin();
        missing = Number(length[1]);
        braces = 0;
        counts.bytes += missing;
      }
      const behind = Math.min(chunk.length, from + missing);
      for (let at = chunk.indexOf(OPENING_BRACE, from); at >= 0 && at < behind; ) {
        braces += 1;
        at = chunk.indexOf(OPENING_BRACE, at + 1);
      }
      missing -= behind - from;
      from = behind;
      if (missing === 0) answer();
    }
  });
}

if (process.argv[1] === import.meta.filename) {
  const server = createServer(serve);
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.on('message', (question) => {
    if (question.latencyMs !== undefined) {
      latencyMs = question.latencyMs;
      counts = noCounts();
      cpuBefore = process.cpuUsage();
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    process.send({ ...counts, cpu: (user + system) / 1e6 });
  });
  process.on('disconnect', () => process.exit());
}
