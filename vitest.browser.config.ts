import { defineConfig } from 'vitest/config';

/** The suite that needs a Chromium on PATH; without one it skips, loudly. */
export default defineConfig({
  test: {
    include: ['server/test/browser/**/*.test.ts'],
    globalSetup: ['server/test/support/build.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Files share a process, its modules and its browser.
    isolate: false,
    // Much of the time is spent waiting for pages and agents.
    maxWorkers: 3,
  },
});
