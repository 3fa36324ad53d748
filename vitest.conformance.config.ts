import { defineConfig } from 'vitest/config';

/** The official conformance suite of MCP, run by `npm run test:conformance`. */
export default defineConfig({
  test: {
    include: ['server/test/conformance/**/*.test.ts'],
    globalSetup: ['server/test/support/build.ts'],
    testTimeout: 60_000,
    // Before the first test of a protocol revision, a hook runs the whole conformance suite for that revision.
    hookTimeout: 300_000,
    maxWorkers: 1,
    pool: 'forks',
  },
});
