import { defineConfig } from 'vitest/config';

/** The official conformance suite of MCP, run by `npm run test:conformance`. */
export default defineConfig({
  test: {
    include: ['server/test/conformance/**/*.test.ts'],
    globalSetup: ['server/test/support/build.ts'],
    testTimeout: 60_000,
    // A hook runs the whole suite of a protocol revision before the first test of that revision.
    hookTimeout: 300_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
