/**
 * The cost of the delivered index: `npm run bench:earlier [ROWS]` (default 1,000,000). Uploads signals
 * without and with --skip-delivered, then once more, so that every row is skipped; and with --dedupe.
 * Prints the row counts, processor time, peak memory, and the sizes of the journal and the index.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { measure } from './measure.mjs';
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
  const out = path.join(folder, `runs-${what.replaceAll(' ', '-')}`);
  const measured = await measure({
    file: process.execPath,
    args: [
      path.join(root, 'bin', 'signals.js'),
      ...['upload', file, '--json', '--no-progress', '--out', out],
      ...options,
    ],
    cwd: folder,
    env: {
      HOME: folder,
      SIGNALS_CONFIG_DIR: folder,
      SIGNALS_STATE_DIR: path.join(folder, 'state'),
      SIGNALS_BASE_URL: sink.url,
      SIGNALS_API_KEY: 'key',
    },
  });
  const { code, stdout, cpu, peak = 0 } = measured;
  if (code !== 0) throw new Error(`${what}: exit code ${code}: ${stdout}`);
  const { rows: counts, folder: run } = JSON.parse(stdout);
  const journal = (await stat(path.resolve(folder, run, 'journal.ndjson'))).size;
  process.stdout.write(
    `${what}: ${counts.delivered} delivered, ${counts.skipped} skipped, ${counts.duplicate} duplicate; ` +
      `${cpu.toFixed(1)} CPU seconds, ${(peak / 2 ** 20).toFixed(0)} MiB at the most, journal ${(journal / MB).toFixed(1)} MB\n`,
  );
}

try {
  const signals = await makeFile(
    'signals.csv',
    'company_name,company_domain,signal_title,signal_source,detected_at',
    (n) => `Company ${n},company${n}.example,Raised round ${n},funding,2026-11-20T09:15:00Z`,
  );
  await upload('signals without keys', signals);
  await upload('signals with keys', signals, '--skip-delivered');
  await upload('signals that are known', signals, '--skip-delivered');
  await upload('signals without duplicates', signals, '--dedupe');
  const bytes = await sizeOf(path.join(folder, 'state', 'delivered'));
  process.stdout.write(
    `the index holds ${2 * rows} records in ${(bytes / MB).toFixed(1)} MB: ${(bytes / 2 / rows).toFixed(1)} bytes each\n`,
  );
} finally {
  sink.close();
  await rm(folder, { recursive: true, force: true });
}
