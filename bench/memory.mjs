/**
 * Peak memory of an upload, and of a check, of 100,000 rows against one of 1,000,000: `npm run bench:memory`. It
 * must not grow with the file: the second upload may need at most 1.2 times as much. A check remembers a million
 * records, to recognise duplicates: it may need so many bytes more, and no more for a larger file. The service
 * runs in this process, the program in its own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startSink } from './sink.mjs';

const LIMIT = 1.2;
/** MiB: the table of a million records (32), the half of it from which it grew, and what the collector leaves. */
const CHECK_LIMIT = 96;
const root = path.join(import.meta.dirname, '..');
const parent = path.join(root, 'test', '.tmp');
await mkdir(parent, { recursive: true });
const folder = await mkdtemp(path.join(parent, 'memory-'));
const sink = await startSink();

/** Thirteen columns, as an export has them; one row in a thousand has no company. */
async function makeFile(rows) {
  const file = path.join(folder, `${rows}.csv`);
  const out = createWriteStream(file);
  out.write(
    'company_name,company_domain,signal_title,signal_source,detected_at,description,industry,funding_amount,employee_count,location,hotness_score,extra_1,extra_2\n',
  );
  let block = '';
  for (let n = 1; n <= rows; n += 1) {
    const name = n % 1000 === 0 ? '' : `"Company, No. ${n}"`;
    block += `${name},company${n}.example,Raised round ${n},funding,2026-11-20T09:15:00Z,"A text of some length that ""quotes"" and describes what happened to company ${n}.",Software,${n * 1000},${n % 5000},"Hamburg, Germany",${n % 100},unused,unused\n`;
    if (block.length > 1_000_000) {
      if (!out.write(block)) await once(out, 'drain');
      block = '';
    }
  }
  out.end(block);
  await once(out, 'finish');
  return file;
}

async function measure(rows, command = 'upload') {
  const file = await makeFile(rows);
  const peak = path.join(folder, 'peak');
  const before = sink.records();
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'bin', 'signals.js'),
      command,
      file,
      ...['--quiet', '--fail-on', 'never'],
      ...(command === 'upload' ? ['--out', folder] : []),
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        SIGNALS_CONFIG_DIR: folder,
        SIGNALS_BASE_URL: sink.url,
        SIGNALS_API_KEY: 'key',
        SIGNALS_PEAK: peak,
        NODE_OPTIONS: `--import ${pathToFileURL(path.join(root, 'bench', 'peak.mjs')).href}`,
      },
      stdio: 'inherit',
    },
  );
  const [code] = await once(child, 'close');
  const seconds = (performance.now() - started) / 1000;
  const delivered = sink.records() - before;
  const expected = command === 'upload' ? rows - Math.floor(rows / 1000) : 0;
  if (code !== 0 || delivered !== expected) {
    throw new Error(`${command} of ${rows} rows: exit code ${code}, ${delivered} records delivered`);
  }
  const megabytes = Number(await readFile(peak, 'utf8')) / 1024;
  process.stdout.write(
    `${command} of ${rows} rows: ${megabytes.toFixed(0)} MiB at the most, ${seconds.toFixed(1)} s\n`,
  );
  return megabytes;
}

try {
  const small = await measure(100_000);
  const large = await measure(1_000_000);
  const ratio = large / small;
  process.stdout.write(`ratio ${ratio.toFixed(2)}, allowed ${LIMIT}\n`);
  if (ratio > LIMIT) process.exitCode = 1;
  const more = (await measure(1_000_000, 'check')) - (await measure(100_000, 'check'));
  process.stdout.write(`a check needs ${more.toFixed(0)} MiB more, allowed ${CHECK_LIMIT}\n`);
  if (more > CHECK_LIMIT) process.exitCode = 1;
} finally {
  sink.close();
  await rm(folder, { recursive: true, force: true });
}
