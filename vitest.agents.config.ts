import { defineConfig } from 'vitest/config';
import { AgentTable } from './server/test/agents/real/table.ts';

/**
 * Tests with real agents, run by `npm run test:agents`. Tests of agents that are not installed are skipped with a
 * warning.
 */
export default defineConfig({
  test: {
    include: ['server/test/agents/real/**/*.test.ts'],
    globalSetup: ['server/test/support/build.ts'],
    reporters: ['verbose', new AgentTable()],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Two test files run at once, because most of the time the tests wait for agents, and the agents for their models.
    maxWorkers: 2,
    pool: 'forks',
  },
});
