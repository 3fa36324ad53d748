import { afterAll, beforeAll, expect, it } from 'vitest';
import { killServer, randomFrom, SEED } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { done, FINAL, orchestrationsIn, statesOf } from '../support/orchestrations.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const { create, status, eventsOf } = orchestrationsIn(() => c);

const AGENTS = process.env.LONG ? 10 : 4;

/** A first agent, several agents that depend on it, and a last one that depends on all of those. */
const diamond = [
  { agentId: 'first', role: 'planner', task: done() },
  ...Array.from({ length: AGENTS - 2 }, (_, n) => ({
    agentId: `middle-${n}`,
    role: 'engineer',
    task: done(),
    dependencies: ['first'],
  })),
  {
    agentId: 'last',
    role: 'reviewer',
    task: done(),
    dependencies: Array.from({ length: AGENTS - 2 }, (_, n) => `middle-${n}`),
  },
];

/**
 * Runs the plan `diamond` and returns the result. Kills the server once the orchestration has `killAt` events, or never
 * if `killAt` is 0.
 */
async function run(killAt: number) {
  const { id } = await create(diamond, { strategy: 'adaptive', start: true });
  let killed = killAt === 0;
  await c.until(`the end of run ${killAt}`, async () => {
    // Calls fail while the server is being replaced.
    const events = await eventsOf(id).catch(() => []);
    if (!killed && events.length >= killAt) {
      killed = true;
      await killServer(c);
    }
    return FINAL.includes((await status(id).catch(() => ({ state: '' }))).state);
  });
  const end = await status(id);
  const events = await eventsOf(id);
  const attempts = events.filter(({ eventType }) => eventType === 'agent_started').map(({ agentId }) => agentId);
  const { data: sessions } = await c.client.call('sessions.list', { limit: 500 });
  const own = sessions.filter((session) => end.agents.some(({ sessionId }) => sessionId === session.id));
  return {
    events: events.length,
    result: {
      state: end.state,
      states: statesOf(end),
      attempts: attempts.sort(),
      completions: events.filter(({ eventType }) => eventType === 'agent_completed').length,
      ends: events.filter(({ eventType }) => eventType === 'session_completed').length,
      sessions: own.length,
      counts: [end.agentCount, end.completedAgents, end.failedAgents, end.progress],
    },
  };
}

it('has the same result and starts nothing twice if the server is killed at any event', {
  timeout: 3_600_000,
}, async () => {
  console.log(`SEED=${SEED}`);
  const undisturbed = await run(0);
  expect(undisturbed.result).toMatchObject({ state: 'completed', completions: AGENTS, sessions: AGENTS, ends: 1 });
  expect(undisturbed.result.attempts).toHaveLength(AGENTS);
  const all = Array.from({ length: undisturbed.events }, (_, at) => at + 1);
  const chosen = 1 + Math.floor(randomFrom(SEED)() * undisturbed.events);
  for (const killAt of process.env.LONG ? all : [chosen]) {
    const { result } = await run(killAt);
    expect({ killAt, ...result }).toEqual({ killAt, ...undisturbed.result });
  }
  console.log(`${undisturbed.events} events`);
});
