import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests with the console's own programs as processes, which `npm run test:e2e` runs. */
export const REAL_PROCESSES = [
  'server/test/crash/**/*.test.ts',
  'server/test/e2e/**/*.test.ts',
  // The contract test, which holds the memory runner to the real one, belongs to `npm test`.
  'server/test/runner/!(contract).test.ts',
];

/** Further suites, which need a browser, other people's agents or a long time: the scripts of their names run them. */
const ELSEWHERE = ['agents/real', 'browser', 'conformance'].map((folder) => `server/test/${folder}/**`);

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
  'crash/faults',
  'crash/runner-stalled',
  'e2e/mcp-serve',
  'e2e/operations-guide',
  'e2e/serve-command',
  'git/integration.property',
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
  // More than two cores need, because tests often wait for git. Five are slower: each worker loads every module.
  maxWorkers: 4,
  sequence: { sequencer: LongFilesFirst },
  // Transformed modules stay in node_modules for the next run.
  experimental: { fsModuleCache: true },
} satisfies ViteUserConfig['test'];

export default defineConfig({
  test: {
    ...common,
    globalSetup: [...common.globalSetup, 'server/test/support/temporary-files.ts'],
    include: ['client/test/**/*.test.ts', 'server/test/**/*.test.ts'],
    exclude: [...ELSEWHERE, ...REAL_PROCESSES],
  },
});
