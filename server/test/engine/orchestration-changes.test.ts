import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../src/engine/changes/author.ts';
import { spec } from '../domain/orchestration/support.ts';
import { openOrchestrations, type StartFault, type TaskEnd } from './orchestration-harness.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.RUNS ?? (process.env.LONG ? 500 : 15));

let o: ReturnType<typeof openOrchestrations> | undefined;
afterEach(() => o?.close());

type Run = ReturnType<typeof openOrchestrations>;
type Step = (run: Run, id: string) => Promise<unknown>;

const agentIs = (run: Run, id: string, agentId: string) =>
  run.read.orchestrationAgents.first({ orchestrationId: id, agentId }).then((agent) => agent?.state);

/** Agents of an orchestration in which `STEPS` cause most kinds of events. */
const PLAN = [
  spec({ agentId: 'done' }),
  spec({ agentId: 'twice', maxAttempts: 2 }),
  spec({ agentId: 'behind', dependencies: ['twice'] }),
  spec({ agentId: 'lost' }),
  spec({ agentId: 'resting' }),
];
const STEPS: Step[] = [
  (run, id) => run.orchestrations.start(SYSTEM, id),
  (run, id) => run.end(id, 'done', 'completed'),
  (run, id) => run.end(id, 'twice', 'failed'),
  (run, id) => run.end(id, 'lost', 'lost'),
  (run, id) => run.orchestrations.pause(SYSTEM, id, 'person', true),
  (run, id) => run.orchestrations.resume(SYSTEM, id, 'person'),
  (run, id) => run.orchestrations.addAgents(SYSTEM, id, [spec({ agentId: 'late' })], async () => {}),
  (run, id) => run.end(id, 'resting', 'paused'),
  (run, id) => run.end(id, 'lost', 'completed'),
  (run, id) => run.end(id, 'twice', 'failed'),
  (run, id) => run.orchestrations.retryAgent(SYSTEM, id, 'twice'),
  (run, id) => run.end(id, 'twice', 'completed'),
  (run, id) => run.end(id, 'late', 'completed'),
  (run, id) => run.orchestrations.cancel(SYSTEM, id, true),
];

/**
 * Runs the steps with an orchestration whose nth event cannot be stored. If a step fails, repeats the step, as its
 * caller would. If the scheduler fails, runs the scheduler again, as its timer would. Returns the final states, the
 * names of the started agents, and the events.
 */
async function runWithFaultAt(nth: number) {
  const run = openOrchestrations();
  o = run;
  const id = await run.create({ strategy: 'adaptive' }, PLAN);
  run.failAtEvent(nth);
  for (const step of STEPS) {
    const wasFailed = run.hasFailed();
    const failed = await step(run, id).then(
      () => false,
      (error) => {
        if (error.message !== 'injected fault') throw error;
        return true;
      },
    );
    if (!wasFailed && run.hasFailed()) {
      if (failed) await step(run, id);
      else await run.scheduler.settle(id);
    }
  }
  const { state, agentCount, completedAgents, failedAgents } = (await run.read.orchestrations.get(id)) ?? {};
  const events = await run.read.events.find({ subjectId: id });
  const result = {
    counts: { state, agentCount, completedAgents, failedAgents },
    agents: (await run.read.orchestrationAgents.find({ orchestrationId: id })).map((agent) => [
      agent.agentId,
      agent.state,
      agent.attempt,
    ]),
    starts: [...run.starts].sort(),
    events: events.map(({ type, data }) => `${type} ${data.agentId ?? ''}`).sort(),
  };
  const errors = run.errors.filter(({ message }) => message !== 'injected fault');
  await run.close();
  o = undefined;
  return { ...result, errors };
}

describe('the changes of an orchestration', () => {
  it('end the attempt of an agent that cannot continue', async () => {
    const run = openOrchestrations();
    o = run;
    const id = await run.create({ strategy: 'adaptive' }, [spec({ agentId: 'a' })]);
    await run.orchestrations.start(SYSTEM, id);
    await run.orchestrations.pause(SYSTEM, id, 'person', true);
    run.setStartFault('error');
    await run.orchestrations.resume(SYSTEM, id, 'person');
    expect(await agentIs(run, id, 'a')).toBe('failed');
    const [attempt] = await run.read.orchestrationAttempts.find({ orchestrationId: id });
    expect(attempt).toMatchObject({ reason: 'not_started', endedAt: expect.any(String) });
  });

  it('cancel the resolution of conflicts, also if agents were added since it was requested', async () => {
    const run = openOrchestrations();
    o = run;
    const id = await run.create({ strategy: 'adaptive' }, [spec({ agentId: 'a' })]);
    await run.orchestrations.start(SYSTEM, id);
    const taskId = await run.queueResolution(id);
    await run.orchestrations.addAgents(SYSTEM, id, [spec({ agentId: 'late' })], async () => {});
    await run.orchestrations.cancel(SYSTEM, id, true);
    expect(await run.read.tasks.get(taskId)).toMatchObject({ status: 'cancelled' });
  });

  it('are over after its end, also if agents waited for a limit', async () => {
    const run = openOrchestrations();
    o = run;
    const id = await run.create({ strategy: 'adaptive' }, [spec({ agentId: 'a' })]);
    run.setStartFault('limit');
    await run.orchestrations.start(SYSTEM, id);
    await run.orchestrations.cancel(SYSTEM, id, true);
    await run.scheduler.idle();
    const before = run.writes();
    await run.changeSettings();
    await run.scheduler.idle();
    expect(run.writes()).toBe(before);
  });

  it(`are stored with their events or not at all if any of the events cannot be stored (seed ${SEED})`, async () => {
    const undisturbed = await runWithFaultAt(Number.POSITIVE_INFINITY);
    expect(undisturbed).toMatchObject({
      counts: { state: 'cancelled', agentCount: 6, completedAgents: 4, failedAgents: 0 },
      errors: [],
    });
    expect(undisturbed.events.length).toBeGreaterThan(25);
    const stride = process.env.LONG ? 1 : 6;
    for (let nth = 1 + (SEED % stride); nth <= undisturbed.events.length; nth += stride) {
      expect({ nth, ...(await runWithFaultAt(nth)) }).toEqual({ nth, ...undisturbed });
    }
  }, 600_000);

  const at = fc.nat(20);
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('end' as const),
        at,
        end: fc.constantFrom<TaskEnd>('completed', 'completed', 'failed', 'unreported', 'lost', 'paused'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('pause' as const), interrupt: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('resume' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('retry' as const), at }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('add' as const), at }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('starts' as const),
        meet: fc.constantFrom<StartFault>('none', 'limit', 'error'),
      }),
    },
  );
  const agents = fc.array(
    fc.record({
      behind: fc.array(fc.nat(5), { maxLength: 2 }),
      maxAttempts: fc.integer({ min: 1, max: 2 }),
      allowFailure: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  );

  it(`keep the stored counts correct and record one event each, in random runs (seed ${SEED})`, async () => {
    await fc.assert(
      fc.asyncProperty(agents, fc.array(step, { maxLength: 20 }), fc.boolean(), async (drawn, steps, failFast) => {
        const run = openOrchestrations();
        o = run;
        const specs = drawn.map(({ behind, ...fields }, index) =>
          spec({ agentId: `a${index}`, dependencies: behind.filter((n) => n < index).map((n) => `a${n}`), ...fields }),
        );
        const id = await run.create({ strategy: 'adaptive', onFailure: failFast ? 'fail_fast' : 'continue' }, specs);
        await run.orchestrations.start(SYSTEM, id);
        const names = specs.map(({ agentId }) => agentId ?? '');
        for (const each of steps) {
          const name = names['at' in each ? each.at % names.length : 0] ?? '';
          await take(run, id, each, name).catch((error) => {
            if (error.code !== 'CONFLICT') throw error;
          });
          await run.scheduler.settle(id);
        }
        run.setStartFault('none');
        await run.orchestrations.cancel(SYSTEM, id, true).catch(() => {});
        const { errors } = run;
        await run.close();
        o = undefined;
        expect(errors).toEqual([]);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  }, 600_000);

  async function take(
    run: Run,
    id: string,
    each: typeof step extends fc.Arbitrary<infer T> ? T : never,
    name: string,
  ): Promise<void> {
    if (each.do === 'end' && (await agentIs(run, id, name)) === 'running') await run.end(id, name, each.end);
    if (each.do === 'pause') await run.orchestrations.pause(SYSTEM, id, 'person', each.interrupt);
    if (each.do === 'resume') await run.orchestrations.resume(SYSTEM, id, 'person');
    if (each.do === 'retry') await run.orchestrations.retryAgent(SYSTEM, id, name);
    if (each.do === 'add') {
      await run.orchestrations.addAgents(SYSTEM, id, [spec({ dependencies: [name] })], async () => {});
    }
    if (each.do === 'starts') run.setStartFault(each.meet);
  }
});

it('two simultaneous ends start an agent that depends on both only once, in each of 100 runs', async () => {
  const run = openOrchestrations();
  o = run;
  const plan = [spec({ agentId: 'a' }), spec({ agentId: 'b' }), spec({ agentId: 'c', dependencies: ['a', 'b'] })];
  for (let round = 1; round <= 100; round += 1) {
    const id = await run.create({ strategy: 'adaptive' }, plan);
    await run.orchestrations.start(SYSTEM, id);
    await Promise.all([run.end(id, 'a', 'completed'), run.end(id, 'b', 'completed')]);
    await run.scheduler.settle(id);
    expect(run.starts).toHaveLength(3 * round);
    expect(await agentIs(run, id, 'c')).toBe('running');
  }
  expect(run.errors).toEqual([]);
});
