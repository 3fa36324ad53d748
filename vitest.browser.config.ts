import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** Tests that need a Chromium on PATH. Without one, they are skipped with a warning. */
export default defineConfig({
  test: {
    ...common,
    include: ['server/test/browser/**/*.test.ts'],
    // With three workers, pages and agents keep two cores busy.
    maxWorkers: 3,
  },
});
