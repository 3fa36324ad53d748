import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['client/test/**/*.test.ts', 'server/test/**/*.test.ts'],
    // Neither a browser nor other people's agents and suites are asked of whoever runs `npm test`; `.ci/run` brings them.
    exclude: ['server/test/browser/**', 'server/test/agents/real/**', 'server/test/conformance/**'],
    globalSetup: ['server/test/support/build.ts'],
    // Real processes, PTYs and sockets: a test that hangs is a failure, a slow machine is not.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Files share a process and its modules: no test changes its environment, and what it starts it ends.
    isolate: false,
    // More than two cores' worth: much of the time is spent waiting for git and for other processes.
    maxWorkers: 4,
  },
});
