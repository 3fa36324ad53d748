import { defineConfig } from 'vitest/config';

/** Neither a browser nor other people's agents and suites are asked of whoever runs `npm test`; `.ci/run` brings them. */
const ELSEWHERE = ['server/test/browser/**', 'server/test/agents/real/**', 'server/test/conformance/**'];

/** Pure rules and readers, and the app over a memory runner: they leave nothing behind in their process, so files share one. */
const TOGETHER = {
  pure: [
    'client/test/**/*.test.ts',
    'server/test/{activity,domain,storage}/**/*.test.ts',
    'server/test/surfaces/{rest,http}/**/*.test.ts',
  ],
  app: ['server/test/app/**/*.test.ts'],
};

const common = {
  // Real processes, PTYs and sockets: a test that hangs is a failure, a slow machine is not.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
} as const;

export default defineConfig({
  test: {
    globalSetup: ['server/test/support/build.ts'],
    // More than two cores' worth: much of the time is spent waiting for git and for other processes.
    maxWorkers: 4,
    projects: [
      { test: { ...common, name: 'app', include: TOGETHER.app, isolate: false } },
      { test: { ...common, name: 'pure', include: TOGETHER.pure, isolate: false } },
      {
        test: {
          ...common,
          name: 'processes',
          include: ['server/test/**/*.test.ts'],
          exclude: [...ELSEWHERE, ...TOGETHER.pure, ...TOGETHER.app],
        },
      },
    ],
  },
});
