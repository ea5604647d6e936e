/**
 * Measures how many batches per second the sandbox accepts, and their cost: `npm run bench:sandbox`, or with another
 * number of batches `npm run bench:sandbox -- 10000` (a million records).
 *
 * Batches of 100 different signals on eight connections. The sandbox runs in a separate process; the client writes
 * prepared requests and reads only as much of a response as it needs. Both share the machine, so the sandbox's processor
 * time per batch is also reported, which other programs affect less.
 */
import { fork } from 'node:child_process';
import { connect } from 'node:net';

const KEY = 'a-key-for-the-benchmark';
const CONNECTIONS = 8;

let template;

if (process.send === undefined) await measureAll(Number(process.argv[2] ?? 3000));
else await serve(JSON.parse(process.argv[2]));

async function serve(options) {
  const { startSandbox } = await import('../dist/sandbox.js');
  const sandbox = await startSandbox({ key: KEY, ...options });
  process.on('message', async (message) => {
    if (message === 'end') {
      await sandbox.close();
      process.disconnect();
      return;
    }
    globalThis.gc();
    process.send({ cpu: process.cpuUsage(), memory: process.memoryUsage() });
  });
  process.send({ url: sandbox.url });
}

async function measureAll(batches) {
  process.stdout.write(
    `${batches} batches of 100 signals\n${''.padEnd(40)} batches/s   processor ms/batch   memory MB\n`,
  );
  await measure('without records (upload --sandbox)', { keepRecords: false }, batches);
  await measure('with records (signals sandbox)', {}, batches);
  await measure('… and then looked at', {}, batches, '/');
}

async function measure(name, options, batches, look) {
  const child = fork(import.meta.filename, [JSON.stringify(options)], { execArgv: ['--expose-gc'] });
  const message = () => new Promise((resolve) => child.once('message', resolve));
  const ask = (what) => {
    const answer = message();
    child.send(what);
    return answer;
  };
  const { url } = await message();
  const before = await ask('usage');
  const started = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: CONNECTIONS }, () => sender(url, () => next++, batches)));
  if (look !== undefined) await (await fetch(url + look)).text();
  const seconds = (performance.now() - started) / 1000;
  const after = await ask('usage');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.send('end');
  await ended;
  const cpu = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system;
  const memory = after.memory.rss - before.memory.rss;
  const columns = [
    String(Math.round(batches / seconds)).padStart(9),
    (cpu / 1000 / batches).toFixed(3).padStart(20),
    String(Math.round(memory / 2 ** 20)).padStart(11),
  ];
  process.stdout.write(`${name.padEnd(40)} ${columns.join(' ')}\n`);
}

/** One connection: a request, its answer, the next request, until there are no more. */
function sender(url, take, batches) {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const send = () => {
      const number = take();
      if (number >= batches) socket.end();
      else socket.write(requestOf(number));
    };
    let text = '';
    socket.setEncoding('latin1');
    socket.on('connect', send).on('error', reject).on('close', resolve);
    socket.on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
      if (end === -1 || !(text.length >= end + 4 + length)) return;
      if (!text.startsWith('HTTP/1.1 200 ') || !text.includes('"accepted":100,')) {
        reject(new Error(`answered ${text}`));
      }
      text = '';
      send();
    });
  });
}

/** All that differs from one batch to the next is a number, so that making one costs the client next to nothing. */
function requestOf(number) {
  template ??= JSON.stringify({
    signals: Array.from({ length: 100 }, (_, index) => ({
      company_name: `Company #-${index}`,
      company_domain: `company-#-${index}.example`,
      signal_title: 'Something new happened in the company',
      signal_source: 'news',
      detected_at: '2026-11-20T09:15:00Z',
      industry: 'Software',
      employee_count: 120,
    })),
  });
  const body = template.replaceAll('#', String(number).padStart(6, '0'));
  return (
    `POST /v1/signals/ingest HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}
