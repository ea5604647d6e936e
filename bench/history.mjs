/**
 * What a long history costs: `npm run bench:history [RUNS…]` (default 0 100 1000 10000). Makes a folder with that many
 * finished runs of one input of 300 rows, and measures commands in it: `upload` of the same input once more, `runs`,
 * `resume last`, `runs find` and `prune --dry-run`. Prints the shortest of five as a Markdown table (docs/internals/performance.md).
 *
 * The earlier runs are copies of one real run, each with its own id and time. "first" is the first command in that
 * folder, which finds no index of the runs.
 */
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { clock } from './measure.mjs';
import { startSink } from './sink.mjs';

const ROWS = 300;
const ROUNDS = 5;
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [0, 100, 1000, 10_000];
const program = path.join(import.meta.dirname, '..', 'bin', 'signals.js');
const parent = path.join(import.meta.dirname, '..', 'test', '.tmp');
await mkdir(parent, { recursive: true });
const folder = await mkdtemp(path.join(parent, 'history-'));
const sink = await startSink();

async function signals(state, out, ...args) {
  const { code, wall, stderr } = await clock({
    file: process.execPath,
    args: [program, ...args, '--out', out],
    cwd: folder,
    env: {
      HOME: folder,
      SIGNALS_CONFIG_DIR: folder,
      SIGNALS_STATE_DIR: state,
      SIGNALS_BASE_URL: sink.url,
      SIGNALS_API_KEY: 'key',
    },
  });
  if (code !== 0) throw new Error(`signals ${args.join(' ')}: exit code ${code}: ${stderr}`);
  return wall * 1000;
}

/** The shortest time: whatever else the machine does only makes a command slower. */
async function shortest(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await work());
  return Math.min(...times);
}

/** A line with the checksum of the journal's format. */
function line(object) {
  const body = JSON.stringify(object).slice(0, -1);
  return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}\n`;
}

/** Copies a run `count` times into a folder of runs, and lists the copies in a state folder. */
function copyRun(template, out, state, count) {
  const runFile = JSON.parse(readFileSync(path.join(template, 'run.json'), 'utf8'));
  const journal = readFileSync(path.join(template, 'journal.ndjson'), 'utf8');
  const firstEnd = journal.indexOf('\n') + 1;
  const { crc: _, ...started } = JSON.parse(journal.slice(0, firstEnd));
  const same = readdirSync(template).filter((name) => !['run.json', 'journal.ndjson', 'rejects'].includes(name));
  mkdirSync(out, { recursive: true });
  mkdirSync(state, { recursive: true });
  let list = '';
  for (let n = 0; n < count; n += 1) {
    const startedAt = new Date(Date.now() - (count - n) * 60_000).toISOString();
    const run = `${startedAt.replace(/[-:]|\.\d+/g, '')}-in-${(n % 0x10000).toString(16).padStart(4, '0')}`;
    const copy = path.join(out, run);
    mkdirSync(copy);
    for (const name of same) linkSync(path.join(template, name), path.join(copy, name));
    writeFileSync(path.join(copy, 'run.json'), `${JSON.stringify({ ...runFile, run, startedAt }, null, 2)}\n`);
    writeFileSync(
      path.join(copy, 'journal.ndjson'),
      line({ ...started, run, time: startedAt }) + journal.slice(firstEnd),
    );
    const { type, baseUrl, sandbox, keys = false } = runFile;
    list += line({ run, folder: copy, startedAt, type, baseUrl, sandbox, keys });
  }
  writeFileSync(path.join(state, `runs-${new Date().toISOString().slice(0, 7)}.ndjson`), list);
}

try {
  const rows = Array.from(
    { length: ROWS },
    (_, n) => `Company ${n},c${n}.example,Round ${n},funding,2026-11-20T09:15:00Z`,
  );
  const input = path.join(folder, 'in.csv');
  writeFileSync(input, `company_name,company_domain,signal_title,signal_source,detected_at\n${rows.join('\n')}\n`);
  const first = path.join(folder, 'template');
  await signals(path.join(folder, 'state'), first, 'upload', input, '--quiet');
  const [id = ''] = readdirSync(first).filter((name) => !name.startsWith('.'));

  const columns = ['first', 'upload', 'runs', 'resume last', 'runs find', 'prune --dry-run'];
  process.stdout.write(`| earlier runs | ${columns.join(' | ')} |\n|---:|${columns.map(() => '---:|').join('')}\n`);
  for (const count of counts) {
    const out = path.join(folder, `runs-${count}`);
    const state = path.join(folder, `state-${count}`);
    copyRun(path.join(first, id), out, state, count);
    const times = [
      await signals(state, out, 'upload', input, '--quiet'),
      await shortest(() => signals(state, out, 'upload', input, '--quiet')),
      await shortest(() => signals(state, out, 'runs')),
      await shortest(() => signals(state, out, 'resume', 'last', '--quiet')),
      await shortest(() => signals(state, out, 'runs', 'find', 'last', 'in.csv:42')),
      await shortest(() => signals(state, out, 'runs', 'prune', '--older-than', '30s', '--dry-run')),
    ];
    process.stdout.write(`| ${count} | ${times.map((ms) => `${ms.toFixed(0)} ms`).join(' | ')} |\n`);
  }
} finally {
  sink.close();
  await rm(folder, { recursive: true, force: true });
}
