import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['server/test/**/*.test.ts', 'client/test/**/*.test.ts'],
    // Neither a browser nor other people's agents and suites are asked of whoever runs `npm test`; `.ci/run` brings them.
    exclude: [
      'server/test/browser/**',
      'server/test/agents/real/**',
      'server/test/conformance/**',
      '**/node_modules/**',
    ],
    globalSetup: ['server/test/support/build.ts'],
    // Real processes, PTYs and sockets: a test that hangs is a failure, a slow machine is not.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: 'forks',
  },
});
