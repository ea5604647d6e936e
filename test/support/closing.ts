/** A reporter that adds one closing line that any tool can read: `tests: 12 passed, 0 failed, 1 skipped`. */
import type { Reporter, TestModule } from 'vitest/node';

export default class Closing implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') counts[state] += 1;
      }
    }
    // After the lines of the default reporter.
    process.once('exit', () => {
      const { passed, failed, skipped } = counts;
      process.stdout.write(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }
}
