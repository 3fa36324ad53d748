import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Slower suites, and those that need a browser or other people's agents: `.ci/run` and the scripts of their names run them. */
const ELSEWHERE = ['agents/real', 'browser', 'conformance', 'crash', 'e2e'].map((folder) => `server/test/${folder}/**`);

/** Files that take long although they are small. Without them at the front, one of them would run alone at the end. */
const LONG = [
  'agents/captures',
  'app/guides',
  'app/idle',
  'browser/accessibility',
  'browser/agent-check',
  'browser/terminals',
  'checks/repository',
  'e2e/acp',
  'e2e/agent-check',
  'e2e/agent-turns',
  'e2e/operations-guide',
  'git/integration.property',
  'surfaces/cli/serve',
];

/** Starts these files first, and then the others as usual: those that took longest, or else the largest. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.includes(`/test/${name}.test.`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export const common = {
  globalSetup: ['server/test/support/build.ts'],
  // Real processes, PTYs and sockets: a test that hangs is a failure, a slow machine is not.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
  // Files share a process and its modules: no test changes its environment, and what it starts it ends.
  isolate: false,
  // Most functions run too seldom in a test to be worth V8's optimising: ten times its budget takes a tenth less time. A
  // small young generation saves as much where git runs: each start of a process costs time for every page in use.
  execArgv: ['--interrupt-budget=1320000', '--min-semi-space-size=4', '--max-semi-space-size=8'],
  // More than two cores' worth: much of the time is spent waiting for git and for other processes.
  maxWorkers: 5,
  sequence: { sequencer: LongFilesFirst },
  // Transformed modules stay in node_modules for the next run.
  experimental: { fsModuleCache: true },
} satisfies ViteUserConfig['test'];

export default defineConfig({
  test: {
    ...common,
    globalSetup: [...common.globalSetup, 'server/test/support/temporary-files.ts'],
    include: ['client/test/**/*.test.ts', 'server/test/**/*.test.ts'],
    exclude: ELSEWHERE,
  },
});
