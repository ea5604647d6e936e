/**
 * A reporter that says while the tests run how much is left, and at the end how many passed, in a line that any tool can
 * read: `tests: 12 passed, 0 failed, 1 skipped`. The lines of the test runner follow it.
 */
import { statSync } from 'node:fs';
import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

const EVERY_MS = 15_000;

/** How long a file takes, in no unit: its length, and much more where it starts programs. */
function weightOf(file: string): number {
  return statSync(file).size * (/\/test\/(?:acceptance|chaos)\//.test(file) ? 20 : 1);
}

export default class Closing implements Reporter {
  readonly #weights = new Map<string, number>();
  #begun = 0;
  #told = 0;
  #done = 0;

  onTestRunStart(files: readonly TestSpecification[]): void {
    for (const { moduleId } of files) this.#weights.set(moduleId, weightOf(moduleId));
    this.#begun = performance.now();
    this.#told = this.#begun;
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#done += this.#weights.get(moduleId) ?? 0;
    const now = performance.now();
    if (now - this.#told < EVERY_MS) return;
    this.#told = now;
    const all = [...this.#weights.values()].reduce((sum, weight) => sum + weight, 0);
    const left = ((now - this.#begun) / 60_000) * (all / this.#done - 1);
    process.stdout.write(`tests: ${Math.floor((100 * this.#done) / all)}% done, about ${Math.ceil(left)} min left\n`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state] += 1;
      }
    }
    const { passed, failed, skipped } = counts;
    process.stdout.write(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
