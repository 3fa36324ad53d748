import { defineConfig } from 'vitest/config';
import { AgentTable } from './server/test/agents/real/table.ts';

/** The suite with the agents people use, run by `npm run test:agents`; what is not installed is skipped, loudly. */
export default defineConfig({
  test: {
    include: ['server/test/agents/real/**/*.test.ts'],
    globalSetup: ['server/test/support/build.ts'],
    reporters: ['verbose', new AgentTable()],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // The agents wait for their models and the tests for them, most of the time.
    maxWorkers: 2,
    pool: 'forks',
  },
});
