import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { assembly } from '../scripts/assembly.mjs';
import Closing from './support/closing.ts';

const build = 'test/support/build.ts';

export default defineConfig({
  plugins: [assembly],
  test: {
    // Most tests wait for other processes or for time-outs: with fewer workers, processors would be idle.
    maxWorkers: 1 + Math.max(2, availableParallelism()),
    // Tests keep nothing in modules, so that each worker loads the program once.
    isolate: false,
    reporters: [new Closing(), 'default'],
    // Acceptance tests run whole programs, which start slowly on a busy machine.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 80_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.{ts,mjs}'],
          exclude: ['test/{acceptance,chaos,nginx,simulation,verify}/**', 'test/fuzz/{linear-work,oracle}.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'acceptance',
          include: ['test/{acceptance,verify}/*.test.{ts,mjs}', 'test/fuzz/oracle.test.ts'],
          globalSetup: build,
        },
      },
      {
        extends: true,
        test: {
          name: 'chaos',
          include: ['test/chaos/*.test.ts', 'test/simulation/simulation.test.ts'],
          globalSetup: build,
        },
      },
      // Not part of `npm test`: they take long, or need another program.
      {
        extends: true,
        test: {
          name: 'scripts',
          include: ['test/fuzz/linear-work.test.ts', 'test/nginx/*.test.ts', 'test/simulation/mutants.test.ts'],
          globalSetup: build,
        },
      },
    ],
  },
});
