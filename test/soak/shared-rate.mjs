/**
 * `npm run test:rate`: processes that share one rate through Redis, judged at the service. One of them is killed (-9) every few
 * seconds, and another one takes its place. Prints the busiest window and how much of the rate was used.
 *
 * node test/soak/shared-rate.mjs [--processes 8] [--rate 100] [--seconds 30] [--kill-every 3] [--latency 20]
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const program = path.join(import.meta.dirname, '..', '..', 'bin', 'signals.js');
const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '8' },
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '30' },
    'kill-every': { type: 'string', default: '3' },
    latency: { type: 'string', default: '20' },
  },
});
const [processes, rate, seconds] = [values.processes, values.rate, values.seconds].map(Number);
const [killEvery, latency] = [values['kill-every'], values.latency].map(Number);

if (spawnSync('redis-server', ['--version']).status !== 0) {
  process.stdout.write('Skipped: redis-server is not installed (Debian: apt install redis-server).\n');
  process.exit(0);
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'shared-rate-'));
const [redisPort, redis] = await startRedis();
const arrivals = [];
const server = createServer((request, response) => {
  arrivals.push(performance.now());
  request.resume().once('end', async () => {
    await sleep(latency * Math.random() * 2);
    response.setHeader('content-type', 'application/json');
    response.end('{"success":true,"batchId":"b","stats":{"accepted":1,"deduplicated":0,"rejected":0}}');
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const rows = Array.from({ length: rate * seconds * 2 }, (_, n) => `Company ${n},company${n}.example,Raised,funding`);
writeFileSync(
  path.join(folder, 'in.csv'),
  ['company_name,company_domain,signal_title,signal_source', ...rows].join('\n'),
);

const running = new Set();
let stderr = '';
for (let n = 0; n < processes; n += 1) startUpload();
// Until all have started.
while (arrivals.length < rate * 2) await sleep(50);
const from = performance.now();
for (let elapsed = 0, kills = 1; elapsed < seconds; elapsed = (performance.now() - from) / 1000) {
  await sleep(100);
  if (killEvery > 0 && elapsed > kills * killEvery) {
    kills += 1;
    const [victim] = running;
    victim?.kill('SIGKILL');
    startUpload();
  }
}
const to = performance.now();
const inTime = arrivals.filter((at) => at >= from && at < to);
for (const child of running) child.kill('SIGKILL');
redis.kill();
server.closeAllConnections();
server.close();
rmSync(folder, { recursive: true });

const used = inTime.length / ((rate * (to - from)) / 1000);
process.stdout.write(
  `${processes} processes, ${rate} requests/s, ${Math.round((to - from) / 1000)} s, one killed every ${killEvery} s: ` +
    `${inTime.length} requests, busiest second ${busiest(arrivals)}, ${(used * 100).toFixed(1)} % of the rate\n`,
);
if (stderr !== '') process.stderr.write(stderr);
process.exitCode = busiest(arrivals) <= rate && used >= 0.9 ? 0 : 1;

/** Most arrivals in any second. */
function busiest(times) {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last += 1) {
    while (times[last] - times[first] >= 1000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

function startUpload() {
  const options = ['--batch-size', '1', '--setting', 'canary=no', '--quiet', '--again', '--yes', '--rate', `${rate}/s`];
  const child = spawn(process.execPath, [program, 'upload', 'in.csv', ...options], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      SIGNALS_BASE_URL: `http://127.0.0.1:${server.address().port}`,
      SIGNALS_API_KEY: 'key-for-the-test',
      SIGNALS_RATE_STORE: `redis://127.0.0.1:${redisPort}`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
}

async function startRedis() {
  for (let port = 20_000 + (process.pid % 10_000); ; port += 1) {
    const child = spawn('redis-server', ['--port', String(port), '--save', '', '--dir', folder], { stdio: 'pipe' });
    const isReady = await new Promise((resolve) => {
      child.stdout.on('data', (data) => String(data).includes('Ready to accept') && resolve(true));
      child.once('exit', () => resolve(false));
    });
    if (isReady) return [port, child];
  }
}
