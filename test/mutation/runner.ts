/**
 * Runs the tests of a file for scripts/mutate.mjs: first without a mutant, to learn which of them each test reaches, then
 * once for each mutant, with the tests that reach it. In one process and with the modules that are loaded, because there
 * are thousands.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { startTests } from '@vitest/runner';
import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, TestRunner, vi } from 'vitest';

const NONE = -1;
/** In milliseconds, for a test that takes no time without a mutant. */
const MIN_TIMEOUT = 3000;
let active = NONE;
let reached = new Set<number>();
/** When the test has taken too long: a mutant may loop without an end. */
let deadline = Infinity;
let calls = 0;
Object.assign(globalThis, {
  mutant: (number: number) => {
    calls += 1;
    if (active === NONE) reached.add(number);
    else if (calls % 1000 === 0 && performance.now() > deadline) throw new Error('The test takes too long.');
    return number === active;
  },
});

const allTests = (task: RunnerTask): RunnerTestCase[] => (task.type === 'test' ? [task] : task.tasks.flatMap(allTests));
const nameOf = ({ suite, name }: RunnerTask): string => (suite === undefined ? name : `${nameOf(suite)} ${name}`);
const notes = process.env['SIGNALS_MUTANTS_NOTES'] ?? '';
const note = (...words: unknown[]) => appendFileSync(notes, `${words.join(' ')}\n`);
/** For the programs that a test starts as well. */
const activate = (number: number): void => {
  active = number;
  writeFileSync(`${notes}-active`, `${number}`);
};

export default class MutantRunner extends TestRunner {
  /** Of each mutant: the tests that reach it; undefined: loading the file or the set-up of its tests does. */
  readonly #reaching = new Map<number, Set<string> | undefined>();
  #chosen: Set<string> | undefined;
  #failed = false;
  /** The test that noticed the last mutant. */
  #failing: Set<string> | undefined;
  #isRepeating = false;

  override importFile(file: string, source: 'collect' | 'setup'): unknown {
    // Else the file would not define its tests again.
    const { evaluatedModules } = Object(this).workerState;
    const module = evaluatedModules.getModuleById(file);
    if (module !== undefined) evaluatedModules.invalidateModule(module);
    return super.importFile(file, source);
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    if (this.#isRepeating) {
      if (this.#failed || this.#chosen?.has(nameOf(test)) === false) test.mode = 'skip';
    } else this.#attribute(undefined);
    deadline = performance.now() + this.config.testTimeout;
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test);
    if (test.result?.state === 'fail') {
      this.#failed = true;
      this.#failing ??= new Set([nameOf(test)]);
    }
    if (!this.#isRepeating) this.#attribute(nameOf(test));
  }

  #attribute(test: string | undefined): void {
    const elsewhere = readFileSync(`${notes}-reached`, 'utf8').trim();
    writeFileSync(`${notes}-reached`, '');
    for (const mutant of [...reached, ...(elsewhere === '' ? [] : elsewhere.split(' ').map(Number))]) {
      const known = this.#reaching.get(mutant);
      if (test === undefined || (this.#reaching.has(mutant) && known === undefined))
        this.#reaching.set(mutant, undefined);
      else this.#reaching.set(mutant, (known ?? new Set()).add(test));
    }
    reached = new Set();
  }

  override async onAfterRunFiles(files: RunnerTestFile[] = []): Promise<void> {
    super.onAfterRunFiles();
    const [file] = files;
    if (this.#isRepeating || file === undefined) return;
    this.#attribute(undefined);
    const times = allTests(file).map(({ result }) => result?.duration ?? 0);
    note('without', this.#failed ? 'failed' : 'passed', Math.ceil(times.reduce((sum, ms) => sum + ms, 0)));
    // A mutant may make a test wait for ever.
    this.config.testTimeout = MIN_TIMEOUT + 4 * Math.max(0, ...times);
    if (this.#failed) return;
    this.#isRepeating = true;
    const nothing = async () => {};
    Object.assign(this, { onCollectStart: nothing, onCollected: nothing, onTaskUpdate: nothing });
    const left: number[] = JSON.parse(readFileSync(process.env['SIGNALS_MUTANTS_LEFT'] ?? '', 'utf8'));
    for (const mutant of left.filter((number) => this.#reaching.has(number))) {
      note('start', mutant);
      let passed = await this.#passes(file.filepath, mutant);
      if (!passed) {
        // On a busy machine a test may fail without a reason: only one that fails again has noticed the mutant.
        note('again', mutant);
        if (await this.#passes(file.filepath, mutant, this.#failing))
          passed = await this.#passes(file.filepath, mutant);
      }
      // What a mutant leaves behind must not fail the tests of the next.
      const isSound = passed || (await this.#passes(file.filepath, NONE, this.#failing ?? this.#reaching.get(mutant)));
      note(passed ? 'passed' : isSound ? 'killed' : 'unsound', mutant);
      if (!isSound) return;
    }
    note('end');
  }

  async #passes(file: string, mutant: number, chosen = this.#reaching.get(mutant)): Promise<boolean> {
    let rejections = 0;
    const onRejection = () => {
      rejections += 1;
    };
    process.on('unhandledRejection', onRejection).on('uncaughtException', onRejection);
    this.#chosen = chosen;
    this.#failed = false;
    this.#failing = undefined;
    const isReloaded = mutant !== NONE && this.#reaching.get(mutant) === undefined;
    if (isReloaded) vi.resetModules();
    activate(mutant);
    const [result] = await startTests([file], this);
    await new Promise(setImmediate);
    activate(NONE);
    if (isReloaded) vi.resetModules();
    process.off('unhandledRejection', onRejection).off('uncaughtException', onRejection);
    vi.restoreAllMocks();
    vi.useRealTimers();
    return rejections === 0 && !this.#failed && result?.result?.state !== 'fail';
  }
}
