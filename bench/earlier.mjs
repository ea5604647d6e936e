/**
 * What it costs to remember what was sent: `npm run bench:earlier [ROWS]` (default 1,000,000). Uploads signals
 * without and with --skip-delivered, then once more, so that every row is skipped; the same with --dedupe; and events.
 * Prints what was sent, seconds (of this machine as it is), peak memory, and the sizes of journal and shelf.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startSink } from './sink.mjs';

const rows = Number(process.argv[2] ?? 1_000_000);
const root = path.join(import.meta.dirname, '..');
const parent = path.join(root, 'test', '.tmp');
await mkdir(parent, { recursive: true });
const folder = await mkdtemp(path.join(parent, 'earlier-'));
const sink = await startSink();

async function makeFile(name, header, row) {
  const file = path.join(folder, name);
  const out = createWriteStream(file);
  let block = `${header}\n`;
  for (let n = 1; n <= rows; n += 1) {
    block += `${row(n)}\n`;
    if (block.length > 1_000_000) {
      if (!out.write(block)) await once(out, 'drain');
      block = '';
    }
  }
  out.end(block);
  await once(out, 'finish');
  return file;
}

async function sizeOf(place) {
  let bytes = 0;
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(path.join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

const MB = 1_000_000;

async function upload(what, file, ...options) {
  const peak = path.join(folder, 'peak');
  const out = path.join(folder, `runs-${what.replaceAll(' ', '-')}`);
  const sent = sink.records();
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'bin', 'signals.js'),
      ...['upload', file, '--json', '--no-progress', '--out', out],
      ...options,
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        SIGNALS_CONFIG_DIR: folder,
        SIGNALS_STATE_DIR: path.join(folder, 'state'),
        SIGNALS_BASE_URL: sink.url,
        SIGNALS_API_KEY: 'key',
        SIGNALS_PEAK: peak,
        NODE_OPTIONS: `--import ${pathToFileURL(path.join(root, 'bench', 'peak.mjs')).href}`,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${what}: exit code ${code}: ${text}`);
  const { rows: books, seconds, folder: run } = JSON.parse(text);
  const journal = (await stat(path.resolve(folder, run, 'journal.ndjson'))).size;
  const mebibytes = Number(await readFile(peak, 'utf8')) / 1024;
  process.stdout.write(
    `${what}: ${books.read} rows read, ${sink.records() - sent} sent, ${books.skipped} skipped, ${books.duplicate} duplicate; ` +
      `${seconds.toFixed(1)} s, ${mebibytes.toFixed(0)} MiB at the most, journal ${(journal / MB).toFixed(1)} MB\n`,
  );
}

try {
  const events = await makeFile(
    'events.csv',
    'platform,engagement_type,engager_name,company_domain,post_url',
    (n) => `linkedin,like,Person ${n},company${n % 5000}.example,https://example.com/posts/${n % 977}`,
  );
  const signals = await makeFile(
    'signals.csv',
    'company_name,company_domain,signal_title,signal_source,detected_at',
    (n) => `Company ${n},company${n}.example,Raised round ${n},funding,2026-11-20T09:15:00Z`,
  );
  await upload('signals without keys', signals);
  await upload('signals with keys', signals, '--skip-delivered');
  await upload('signals that are known', signals, '--skip-delivered');
  await upload('signals without duplicates', signals, '--dedupe');
  await upload('events', events);
  const bytes = await sizeOf(path.join(folder, 'state', 'delivered'));
  process.stdout.write(
    `the shelf holds ${3 * rows} records in ${(bytes / MB).toFixed(1)} MB: ${(bytes / 3 / rows).toFixed(1)} bytes each\n`,
  );
} finally {
  sink.close();
  await rm(folder, { recursive: true, force: true });
}
