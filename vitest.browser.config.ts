import { defineConfig } from 'vitest/config';

/** The suite that needs a Chromium on PATH; without one it skips, loudly. */
export default defineConfig({
  test: {
    include: ['server/test/browser/**/*.test.ts'],
    globalSetup: ['server/test/support/build.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
