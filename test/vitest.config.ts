import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { assembly } from '../scripts/assembly.mjs';
import Closing from './support/closing.ts';

export default defineConfig({
  plugins: [assembly],
  test: {
    // The benchmark is plain JavaScript, and so are its tests.
    include: ['test/**/*.test.ts', 'test/bench/*.test.mjs'],
    globalSetup: 'test/support/build.ts',
    // By default one processor of two would stand idle; most tests wait for a program of their own.
    maxWorkers: Math.max(2, availableParallelism()),
    reporters: ['default', new Closing()],
    // Whole programs run in these tests, and on a busy machine each takes its time to start.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
