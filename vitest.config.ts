import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Tests that start many processes. Among them are all tests that start the console's own programs. `npm run test:e2e`
 * runs them.
 */
export const REAL_PROCESSES = [
  'server/test/app/{cli-job,guides}.test.ts',
  'server/test/crash/**/*.test.ts',
  'server/test/e2e/**/*.test.ts',
  'server/test/git/integration.property.test.ts',
  // Not the contract test: `npm test` runs it, to check that the memory runner behaves like the real one.
  'server/test/runner/!(contract).test.ts',
];

/**
 * Further suites, which need a browser, real agents or a long time. Each has its own npm script, e.g. `test:browser`.
 */
const ELSEWHERE = ['agents/real', 'browser', 'conformance'].map((folder) => `server/test/${folder}/**`);

/** Small files whose tests take long. They are started first; otherwise one of them could run alone at the end. */
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

/**
 * Starts the files of LONG first, and then the others in the usual order: by their last duration, or else by their
 * size.
 */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.includes(`/test/${name}.test.`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export const common = {
  globalSetup: ['server/test/support/build.ts'],
  // The timeouts are long, because tests use real processes, PTYs and sockets, and a slow machine must not fail a test.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  pool: 'forks',
  // Test files share a process and its modules, so a test must not change the environment, and must end what it starts.
  isolate: false,
  // V8 optimizes a function only after ten times its usual budget, because most functions run too seldom in a test.
  // This saves a tenth of the time. A fixed size of the young generation saves a few percent: 16 MB are collected less
  // often, and a larger size would slow down the start of other processes.
  // Node 22 and newer have no flag for the budget, and refuse it.
  execArgv: [
    ...(process.version.startsWith('v20.') ? ['--interrupt-budget=1320000'] : []),
    '--min-semi-space-size=16',
    '--max-semi-space-size=16',
  ],
  // Four test files run at once even on two cores, because tests often wait for processes.
  maxWorkers: 4,
  sequence: { sequencer: LongFilesFirst },
  // Stores transformed modules in node_modules for the next run.
  experimental: { fsModuleCache: true },
} satisfies ViteUserConfig['test'];

export default defineConfig({
  test: {
    ...common,
    globalSetup: [...common.globalSetup, 'server/test/support/temporary-files.ts'],
    // With six workers, the suite takes 6 percent less time than with four, although each worker loads every module.
    maxWorkers: 6,
    include: ['client/test/**/*.test.ts', 'server/test/**/*.test.ts'],
    exclude: [...ELSEWHERE, ...REAL_PROCESSES],
  },
});
