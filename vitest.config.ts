import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['server/test/**/*.test.ts', 'client/test/**/*.test.ts'],
    // A browser is not asked of whoever runs `npm test`; `.ci/run` brings one.
    exclude: ['server/test/browser/**', '**/node_modules/**'],
    globalSetup: ['server/test/support/build.ts'],
    // Real processes, PTYs and sockets: a test that hangs is a failure, a slow machine is not.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: 'forks',
  },
});
