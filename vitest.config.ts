import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** Slower suites, and those that need a browser or other people's agents: `.ci/run` and the scripts of their names run them. */
const ELSEWHERE = ['agents/real', 'browser', 'conformance', 'crash'].map((folder) => `server/test/${folder}/**`);

export const common: ViteUserConfig['test'] = {
  globalSetup: ['server/test/support/build.ts'],
  // Real processes, PTYs and sockets: a test that hangs is a failure, a slow machine is not.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
  // Files share a process and its modules: no test changes its environment, and what it starts it ends.
  isolate: false,
  // Most functions run too seldom in a test to be worth V8's optimising: ten times its budget takes a tenth less time.
  execArgv: ['--interrupt-budget=1320000', '--min-semi-space-size=32', '--max-semi-space-size=64'],
  // More than two cores' worth: much of the time is spent waiting for git and for other processes.
  maxWorkers: 5,
};

export default defineConfig({
  test: { ...common, include: ['client/test/**/*.test.ts', 'server/test/**/*.test.ts'], exclude: ELSEWHERE },
});
