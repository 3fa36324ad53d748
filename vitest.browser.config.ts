import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** The suite that needs a Chromium on PATH; without one it skips, loudly. */
export default defineConfig({
  test: {
    ...common,
    include: ['server/test/browser/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Pages and agents keep two cores busy with this many.
    maxWorkers: 3,
  },
});
