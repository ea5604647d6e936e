import { defineConfig } from 'vitest/config';
import Closing from './closing.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/build.ts',
    reporters: ['default', new Closing()],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
