/**
 * Mutation testing: `npm run mutate -- src/journal` changes one thing at a time in the files of a folder (or in one file)
 * and runs the unit tests that reach it, then the test files that are named: those of test/acceptance and test/simulation
 * start the program with the mutants. A mutant that no test notices survives. It is listed, and is a failure unless
 * test/mutation/accepted.txt says why nothing can notice it.
 */
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { globSync } from 'tinyglobby';
import { startVitest } from 'vitest/node';
import { assembly } from './assembly.mjs';
import { withMutants } from './mutants.mjs';

const ACCEPTED = 'test/mutation/accepted.txt';
/** A mutant without an answer for so long, and for four times as long as all tests of the file take, loops. */
const MIN_LIMIT = 15_000;
const START_LIMIT = 300_000;
const named = process.argv.slice(2);
const further = named.filter((name) => name.endsWith('.test.ts'));
const targets = named.filter((name) => !further.includes(name));

const texts = new Map();
const mutants = [];
const patterns = targets.map((target) => (target.endsWith('.ts') ? target : `${target}/*.ts`));
for (const file of globSync(patterns, { ignore: '**/*.d.ts' }).toSorted()) {
  const changed = withMutants(file, readFileSync(file, 'utf8'), mutants.length);
  texts.set(path.resolve(file), changed.text);
  mutants.push(...changed.mutants);
}

const mutating = {
  name: 'mutating',
  enforce: 'pre',
  transform: (_, id) => (texts.has(id) ? { code: texts.get(id), map: null } : undefined),
};

/** The tests of the folders, first those that import one of the files, then others that do, then those that were named. */
function testFiles() {
  const folders = new Set([...texts.keys()].map((file) => path.relative('src', path.dirname(file))));
  const own = globSync([...folders].map((folder) => `test/${folder}/*.test.ts`)).toSorted();
  const names = [...texts.keys()].map((file) => `/${path.relative('src', file)}'`);
  const importsOne = (file) => names.some((name) => readFileSync(file, 'utf8').includes(name));
  const ignore = ['test/{acceptance,chaos,fast,fuzz,nginx,simulation,verify}/**', ...own];
  const others = globSync('test/**/*.test.ts', { ignore }).toSorted();
  return [...new Set([...own.filter(importsOne), ...own, ...others.filter(importsOne), ...further])];
}

/** Runs one test file with each mutant in a process of its own. */
async function runTests(file) {
  const timeouts = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 10_000 } } };
  const options = {
    config: false,
    include: [file],
    runner: 'test/mutation/runner.ts',
    isolate: false,
    reporters: [{}],
  };
  await startVitest(
    'test',
    [],
    { ...options, ...timeouts, watch: false, silent: true },
    { plugins: [mutating, assembly] },
  );
  process.exit();
}

const testFile = process.env['SIGNALS_MUTANTS_TEST'];
// In the repository, because the program reads files that are beside it, and tests import packages.
const parent = path.resolve('test/.tmp');
mkdirSync(parent, { recursive: true });
const folder = testFile === undefined ? mkdtempSync(path.join(parent, 'mutants-')) : '';
const notes = path.join(folder, 'notes');
const leftFile = path.join(folder, 'left');

/** The program with all mutants. It reads which of them is active, and writes which of them it reaches while none is. */
async function buildProgram() {
  const bundle = await rolldown({
    input: {
      main: 'src/main.ts',
      'row-function-thread': 'src/plan/row-function-thread.js',
      'parquet-thread': 'src/input/parquet-thread.js',
    },
    platform: 'node',
    external: ['@redis/client', 'hyparquet', 'hyparquet-compressors'],
    tsconfig: 'tsconfig.json',
    checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
    plugins: [mutating, assembly],
  });
  await bundle.write({ dir: path.join(folder, 'dist'), format: 'esm' });
  await bundle.close();
  mkdirSync(path.join(folder, 'bin'));
  const [first, ...program] = readFileSync('bin/signals.js', 'utf8').split('\n');
  const switchOn = `
    import { appendFileSync, readFileSync } from 'node:fs';
    const active = Number(readFileSync(${JSON.stringify(`${notes}-active`)}, 'utf8'));
    const reached = new Set();
    globalThis.mutant = (number) => {
      if (active === -1 && !reached.has(number)) {
        reached.add(number);
        appendFileSync(${JSON.stringify(`${notes}-reached`)}, number + ' ');
      }
      return number === active;
    };`;
  writeFileSync(path.join(folder, 'bin', 'signals.js'), [first, switchOn, ...program].join('\n'));
  writeFileSync(path.join(folder, 'texts'), JSON.stringify(Object.fromEntries(texts)));
}

/** What the runner noted about a test file, at its end or when nothing more came. */
async function notesOf(file, left) {
  writeFileSync(notes, '');
  writeFileSync(leftFile, JSON.stringify(left));
  writeFileSync(`${notes}-active`, '-1');
  writeFileSync(`${notes}-reached`, '');
  const env = {
    ...process.env,
    SIGNALS_MUTANTS_TEST: file,
    SIGNALS_MUTANTS_NOTES: notes,
    SIGNALS_MUTANTS_LEFT: leftFile,
    SIGNALS_MUTANTS_TEXTS: path.join(folder, 'texts'),
    SIGNALS_TEST_PROGRAM: path.join(folder, 'bin', 'signals.js'),
  };
  const child = fork(fileURLToPath(import.meta.url), targets, { detached: true, stdio: 'ignore', env });
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  let limit = START_LIMIT;
  while (!ended && Date.now() - statSync(notes).mtimeMs < limit) {
    await sleep(200);
    const [, , took] = readFileSync(notes, 'utf8').split(/[ \n]/, 3);
    if (took !== undefined) limit = MIN_LIMIT + 4 * Number(took);
  }
  if (!ended) process.kill(-child.pid, 'SIGKILL');
  return readFileSync(notes, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
}

/** Test files that fail without a mutant, as on a machine that is too busy: the result is then too low. */
const unfit = [];

/** The mutants that no test of a file notices. */
async function survivorsOf(file, all) {
  let left = all;
  const survivors = [];
  for (let failures = 0; ; ) {
    const noted = await notesOf(file, left);
    if (noted[0][1] !== 'passed') {
      failures += 1;
      if (failures < 3) continue;
      unfit.push(`fails without a mutant, so it judges none: ${file}\n`);
      return [...survivors, ...left].toSorted((a, b) => a - b);
    }
    const numbers = (word) => noted.filter(([first]) => first === word).map(([, number]) => Number(number));
    survivors.push(...numbers('passed'));
    const [last, number] = noted.at(-1);
    const tried = new Set(numbers('start'));
    // Not reached.
    if (last === 'end') return [...survivors, ...left.filter((mutant) => !tried.has(mutant))].toSorted((a, b) => a - b);
    // A mutant that left something behind, or that stopped the process, is noticed if it is the first of its process.
    if (last === 'unsound' && tried.size > 1) tried.delete(Number(number));
    left = left.filter((mutant) => !tried.has(mutant));
  }
}

async function judge() {
  await buildProgram();
  let left = [...mutants.keys()];
  for (const file of testFiles()) {
    if (left.length > 0) left = await survivorsOf(file, left);
    process.stderr.write(`${file}: ${left.length} of ${mutants.length} left\n`);
  }
  const accepted = new Map();
  for (const line of readFileSync(ACCEPTED, 'utf8').split('\n')) {
    const [key, reason] = line.split(' | ');
    if (reason !== undefined && texts.has(path.resolve(key.split(' ')[0]))) accepted.set(key, 0);
  }
  const counts = new Map(mutants.map(({ file }) => [file, { mutants: 0, survived: 0, accepted: 0 }]));
  for (const { file } of mutants) counts.get(file).mutants += 1;
  for (const number of left) {
    const { file, line, key } = mutants[number];
    counts.get(file).survived += 1;
    if (accepted.has(key)) {
      counts.get(file).accepted += 1;
      accepted.set(key, accepted.get(key) + 1);
    } else process.stdout.write(`survived at line ${line}: ${key}\n`);
  }
  const stale = [...accepted]
    .filter(([, times]) => times === 0)
    .map(([key]) => `accepted, but killed or gone: ${key}\n`);
  process.stdout.write([...stale, ...unfit].join(''));
  const all = { mutants: 0, survived: 0, accepted: 0 };
  for (const [file, count] of [...counts, [targets.join(' '), all]]) {
    const { mutants: total, survived } = count;
    process.stdout.write(`${file}: ${total - survived} of ${total} killed, ${count.accepted} of the others accepted\n`);
    if (count !== all) for (const name of Object.keys(all)) all[name] += count[name];
  }
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = all.survived > all.accepted || stale.length + unfit.length > 0 ? 1 : 0;
}

await (testFile === undefined ? judge() : runTests(testFile));
