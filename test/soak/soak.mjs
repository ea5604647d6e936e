/**
 * A long upload at 50 requests a second, from a pipe that does not end, to a service with faults: does memory stay
 * flat, does a descriptor leak, do the books balance?
 *
 *   npm run test:soak            30 minutes
 *   npm run test:soak -- 2       2 minutes
 *
 * Prints a line a minute and figures at the end; its exit code is 1 where something is not as it should be. Reads
 * /proc, so that it runs on Linux alone.
 */
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../dist/sandbox.js';

const MINUTES = Number(process.argv[2] ?? 30);
const RECORDS = 10;
/** Batches a second. Retries and the parts of split batches come on top, up to --rate. */
const BATCHES = 49;
const SAMPLE_MS = 5000;
/** One row in so many is refused by the service, and its batch split to find it. */
const POISON_EVERY = 20_011;
/** One row in so many becomes no record. */
const FAULTY_EVERY = 997;

const say = (text) => process.stdout.write(`${text}\n`);
const root = path.join(import.meta.dirname, '..', '..');
if (!existsSync('/proc/self/fd')) {
  say('soak: skipped, there is no /proc here');
  process.exit(0);
}
await mkdir(path.join(root, 'test', '.tmp'), { recursive: true });
const cwd = await mkdtemp(path.join(root, 'test', '.tmp', 'soak-'));
process.once('exit', () => child?.kill('SIGKILL'));

/** How often each row was received, by its number. */
const received = new Uint8Array(Math.ceil((MINUTES * 60 + 60) * BATCHES * RECORDS * 2) + 1000);
let requests = 0;
const faults = new Map();

const there = await startSandbox({ key: 'soak', keepRecords: false, injectFault: behave });

function behave({ elements }) {
  requests += 1;
  const text = JSON.stringify(elements);
  const chance = Math.random();
  const fault = (name, behaviour, taken = false) => {
    faults.set(name, (faults.get(name) ?? 0) + 1);
    if (taken) take(elements);
    return behaviour;
  };
  if (text.includes('poison')) return fault('422', { status: 422 });
  if (chance < 0.004) return fault('429', { status: 429, headers: { 'retry-after': '0' } });
  if (chance < 0.008) return fault('500', { status: 500 });
  if (chance < 0.01) return fault('502, processed', { status: 502, processed: true }, true);
  if (chance < 0.012) return fault('reset', { reset: 'before' });
  if (chance < 0.013) return fault('cut', { cut: true }, true);
  take(elements);
  return { latencyMs: Math.floor(Math.random() * 40) };
}

function take(elements) {
  for (const { company_name: name } of elements) {
    const n = Number(/^Name (\d+)/.exec(name)?.[1]);
    received[n] = Math.min(255, received[n] + 1);
  }
}

const args = ['upload', '-', '--type', 'signals', '--batch-size', String(RECORDS), '--rate', '100/s', '--json'];
const child = spawn(process.execPath, [path.join(root, 'bin', 'signals.js'), ...args, '--no-progress'], {
  cwd,
  env: {
    PATH: process.env.PATH,
    HOME: cwd,
    SIGNALS_CONFIG_DIR: path.join(cwd, 'settings'),
    SIGNALS_BASE_URL: there.url,
    SIGNALS_API_KEY: there.key,
  },
  stdio: ['pipe', 'pipe', 'inherit'],
});
let stdout = '';
child.stdout.setEncoding('utf8').on('data', (text) => {
  stdout += text;
});
const ended = new Promise((resolve) => child.on('close', resolve));
child.stdin.on('error', () => undefined);

const samples = [];
let over = false;
const watching = watch();
const rows = await feed();
const code = await ended;
over = true;
await watching;
await report();

/** Writes rows as they would come from an export that never ends, until the time is over. */
async function feed() {
  const start = performance.now();
  let n = 0;
  child.stdin.write('company_name,signal_title,signal_source\n');
  // The head, so that the upload begins at once.
  n = write(n, 3000);
  const head = n;
  while (performance.now() - start < MINUTES * 60_000 && child.exitCode === null) {
    const due = head + Math.floor(((performance.now() - start) / 1000) * BATCHES * RECORDS);
    if (due > n) n = write(n, due - n);
    await sleep(100);
  }
  child.stdin.end();
  return n;
}

function write(from, count) {
  const lines = [];
  for (let n = from + 1; n <= from + count; n += 1) {
    const name = n % FAULTY_EVERY === 0 ? '' : `Name ${n}${n % POISON_EVERY === 0 ? ' poison' : ''}`;
    lines.push(`${name},Title of number ${n},news\n`);
  }
  child.stdin.write(lines.join(''));
  return from + count;
}

async function watch() {
  const start = performance.now();
  let told = 0;
  while (!over) {
    await sleep(SAMPLE_MS);
    const sample = look();
    if (sample === undefined) return;
    samples.push({ ...sample, seconds: (performance.now() - start) / 1000, requests });
    const minute = Math.floor(samples.at(-1).seconds / 60);
    if (minute === told) continue;
    told = minute;
    const { rss, fds, seconds } = samples.at(-1);
    say(
      `soak: minute ${minute}: ${(rss / 1024).toFixed(1)} MB, ${fds} descriptors, ${requests} requests, ${(requests / seconds).toFixed(1)}/s`,
    );
  }
}

/** Resident memory in KB and open descriptors; undefined when the program is gone. */
function look() {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const rss = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
    return { rss, fds: readdirSync(`/proc/${child.pid}/fd`).length };
  } catch {
    return undefined;
  }
}

async function report() {
  const summary = JSON.parse(stdout);
  const listed = await listedRows(summary.folder);
  let missing = 0;
  let twice = 0;
  for (let n = 1; n <= rows; n += 1) {
    if (n % FAULTY_EVERY === 0) continue;
    if (received[n] === 0 && !listed.has(n)) missing += 1;
    if (received[n] > 1) twice += 1;
  }
  // The beginning is left out: code and buffers are still growing then.
  const steady = samples.filter(({ seconds }) => seconds > Math.min(120, MINUTES * 20));
  const half = Math.floor(steady.length / 2);
  const before = steady.slice(0, half);
  const behind = steady.slice(half);
  const mean = (some) => some.reduce((sum, { rss }) => sum + rss, 0) / Math.max(1, some.length) / 1024;
  const most = (some, key) => Math.max(0, ...some.map((sample) => sample[key]));
  const last = samples.at(-1) ?? { seconds: 1 };
  const { delivered, invalid, refused, unknown, read } = summary.rows;

  const checks = [
    ['the books balance', summary.balanced === true],
    ['every row was read', read === rows && summary.state === 'complete'],
    ['no record is missing', missing === 0],
    ['memory is flat', mean(behind) < mean(before) * 1.1 + 5],
    ['no descriptor leaks', most(behind, 'fds') <= most(before, 'fds') + 2],
    ['the exit code says that some are unknown or refused', code === 3 || code === 4],
  ];
  say(
    [
      `${(last.seconds / 60).toFixed(1)} minutes, ${requests} requests, ${(requests / last.seconds).toFixed(1)} a second; exit code ${code}`,
      `faults: ${[...faults].map(([name, count]) => `${count} x ${name}`).join(', ')}`,
      `rows: ${read} read = ${invalid} invalid + ${delivered} delivered + ${refused} refused + ${unknown} unknown + ${summary.rows.pending} pending + ${summary.rows.exhausted} exhausted`,
      `received by the service: missing ${missing}, twice ${twice} (their first answer was lost)`,
      `memory: ${mean(before).toFixed(1)} MB in the first half, ${mean(behind).toFixed(1)} MB in the second, ${(most(samples, 'rss') / 1024).toFixed(1)} MB at most`,
      `descriptors: at most ${most(before, 'fds')} in the first half, ${most(behind, 'fds')} in the second`,
      ...checks.map(([what, holds]) => `${holds ? 'yes' : 'NO'}: ${what}`),
    ]
      .map((line) => `soak: ${line}`)
      .join('\n'),
  );
  await there.close();
  await rm(cwd, { recursive: true, force: true });
  process.exit(checks.every(([, holds]) => holds) ? 0 : 1);
}

/** Rows whose payload is kept, because they are unknown or refused. */
async function listedRows(folder) {
  const listed = new Set();
  const place = path.resolve(cwd, folder);
  if (!(await readdir(place)).includes('undelivered.ndjson')) return listed;
  const lines = createInterface({ input: createReadStream(path.join(place, 'undelivered.ndjson')) });
  for await (const line of lines) {
    for (const { company_name: name } of JSON.parse(line).payload.signals) {
      listed.add(Number(/^Name (\d+)/.exec(name)?.[1]));
    }
  }
  return listed;
}
