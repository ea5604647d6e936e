/** One more closing line, in words that any tool can read: `tests: 12 passed, 0 failed, 1 skipped`. */
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
    // Behind the default reporter's own lines.
    process.once('exit', () => {
      process.stdout.write(
        `tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
      );
    });
  }
}
