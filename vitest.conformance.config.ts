import { defineConfig } from 'vitest/config';

/** The official conformance suite of MCP, run by `npm run test:conformance`. */
export default defineConfig({
  test: {
    include: ['server/test/conformance/**/*.test.ts'],
    globalSetup: ['server/test/support/build.ts'],
    testTimeout: 60_000,
    // The whole suite of one revision runs before the first of its tests.
    hookTimeout: 300_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
