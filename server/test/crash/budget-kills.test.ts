import { afterAll, beforeAll, expect, it } from 'vitest';
import { killServer, randomFrom, SEED } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { FINAL, orchestrationsIn, statesOf } from '../support/orchestrations.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const { create, status, eventsOf } = orchestrationsIn(() => c);

/** Returns a task that uses about this many tokens and then reports a result. */
const using = (tokens: number) => `@say ${'word'.repeat(tokens)}\n@report succeeded done`;

async function questionsOf(orchestrationId: string, state: 'pending' | 'answered' | 'withdrawn') {
  const { data } = await c.client.call('approvals.list', { state, limit: 500 });
  return data.filter((approval) => approval.orchestrationId === orchestrationId);
}

/**
 * Runs an orchestration whose first agent uses up the token budget, and raises the budget when the orchestration asks.
 * Kills the server once the orchestration has `killAt` events, or never if `killAt` is 0. Returns the number of events
 * and the result.
 */
async function run(killAt: number) {
  const tasks = [using(2_000), using(10)];
  const { id } = await create(
    tasks.map((task, at) => ({ agentId: `a${at}`, role: 'engineer', task })),
    { strategy: 'sequential', budget: { tokens: 1_000 }, start: true },
  );
  let killed = killAt === 0;
  await c.until(`the end of run ${killAt}`, async () => {
    // Calls fail while the server is being replaced.
    const events = await eventsOf(id).catch(() => []);
    const [asked] = await questionsOf(id, 'pending').catch(() => []);
    const answered =
      asked === undefined
        ? undefined
        : c.client
            .call('approvals.answer', { approvalId: asked.id, optionId: 'accept', values: { tokens: 50_000 } })
            .catch(() => {});
    if (!killed && events.length >= killAt) {
      killed = true;
      await killServer(c);
    }
    await answered;
    return FINAL.includes((await status(id).catch(() => ({ state: '' }))).state);
  });
  const end = await status(id);
  const events = await eventsOf(id);
  const typesOf = (wanted: string) => events.filter(({ eventType }) => eventType === wanted);
  return {
    events: events.length,
    result: {
      state: end.state,
      states: statesOf(end),
      attempts: end.agents.map(({ attempt }) => attempt),
      limits: Object.keys(end.budget ?? {}),
      warned: typesOf('budget').map(({ data }) => data.exhausted),
      pauses: typesOf('session_paused').length,
      ends: typesOf('session_completed').length,
      answered: (await questionsOf(id, 'answered')).length,
      open: (await questionsOf(id, 'pending')).length,
    },
  };
}

it('asks once and continues with the raised budget if the server is killed at any event', {
  timeout: 1_800_000,
}, async () => {
  console.log(`SEED=${SEED}`);
  const undisturbed = await run(0);
  expect(undisturbed.result).toMatchObject({
    state: 'completed',
    attempts: [1, 1],
    warned: [false, true],
    pauses: 1,
    answered: 1,
    open: 0,
  });
  const all = Array.from({ length: undisturbed.events }, (_, at) => at + 1);
  const chosen = 1 + Math.floor(randomFrom(SEED)() * undisturbed.events);
  for (const killAt of process.env.LONG ? all : [chosen]) {
    const { result } = await run(killAt);
    expect({ killAt, ...result }).toEqual({ killAt, ...undisturbed.result });
  }
});
