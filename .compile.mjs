/**
 * The second half of `npm run build`: has V8 compile what a start runs, and keeps the result beside the bundle, for
 * src/load.ts to hand it back. Commands are run as users run them, against the sandbox; what V8 has compiled of a
 * file at the end of the first run that loads it is kept, so it holds the functions that such a run needs and no others.
 *
 * A build without it is complete: where a run fails, that is said, and the program starts as it would without.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');

const [words] = process.argv.slice(2);
if (words === undefined) await compileAll().catch(tell('the bundle'));
else runOnce(JSON.parse(words));

async function compileAll() {
  rmSync(path.join(dist, 'compiled'), { recursive: true, force: true });
  const folder = mkdtempSync(path.join(dist, 'warm-'));
  // Nothing of whoever builds plays a part, and nothing is left behind in a home.
  const home = { PATH: process.env.PATH, HOME: folder };
  try {
    const rows = path.join(folder, 'rows.csv');
    writeFileSync(rows, manyRows());
    const upload = ['upload', rows, '--quiet', '--yes', '--out', path.join(folder, 'runs')];
    // As to a service: an upload with --sandbox does less before its first request.
    const { startSandbox } = createRequire(import.meta.url)('./dist/sandbox.cjs');
    const sandbox = await startSandbox({ key: 'k'.repeat(16), keepRecords: false });
    const service = { SIGNALS_BASE_URL: sandbox.url, SIGNALS_API_KEY: sandbox.key };
    await run(upload, { ...home, ...service });
    await sandbox.close();
    for (const command of [
      [...upload, '--sandbox'],
      ['check', rows, '--quiet'],
      ['fields', 'signals'],
    ]) {
      await run(command, home);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(command, env) {
  const args = [import.meta.filename, JSON.stringify(command)];
  await promisify(execFile)(process.execPath, args, { env, timeout: 60_000 }).catch(tell(command[0]));
}

/** Tells why something was not compiled: the build goes on. */
function tell(what) {
  return ({ message }) => void process.stderr.write(`Not compiled: ${what}. ${message}\n`);
}

/** Enough for several batches, and for the fast path. */
function manyRows() {
  const [header, ...rows] = readFileSync(path.join(root, 'fixtures', 'signals.csv'), 'utf8')
    .trim()
    .split('\n');
  return `${[header, ...Array(100).fill(rows).flat()].join('\n')}\n`;
}

/** In a process of its own: runs one command, and keeps what was compiled for it. */
function runOnce(command) {
  const require = createRequire(import.meta.url);
  const { COMPILED, loaded } = require('./dist/load.cjs');
  process.argv = [process.execPath, 'signals', ...command];
  process.on('exit', (exitCode) => {
    if (exitCode !== 0) return;
    // Back to V8's default: this one is set in a run, when its files have been loaded.
    setFlagsFromString('--semi-space-growth-factor=2');
    mkdirSync(COMPILED, { recursive: true });
    for (const { name, script } of loaded()) {
      const file = path.join(COMPILED, `${name}.bin`);
      if (!existsSync(file)) writeFileSync(file, script.createCachedData());
    }
  });
  require('./dist/main.cjs');
}
