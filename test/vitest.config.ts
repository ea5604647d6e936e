import { defineConfig } from 'vitest/config';
import Closing from './closing.ts';

export default defineConfig({
  test: {
    // The benchmark is plain JavaScript, and so are its tests.
    include: ['test/**/*.test.ts', 'test/bench/*.test.mjs'],
    globalSetup: 'test/build.ts',
    reporters: ['default', new Closing()],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
