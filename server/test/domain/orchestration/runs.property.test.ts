import { OrchestrationStrategy } from '@agent-console/shared/models/orchestration';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planAgents, wavesOf } from '../../../src/domain/orchestration/plan.ts';
import { ModelRun, type Outcome, type Plan, type Step } from './model.ts';
import { spec } from './support.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.RUNS ?? (process.env.LONG ? 10_000 : 200));
/** Timeout in milliseconds for the full number of runs on a busy machine. */
const TIMEOUT = 600_000;
const OPTIONS = { seed: SEED, numRuns: RUNS };
/** Names of agents in plans that may contain cycles. */
const NAMES = ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'];
const ROLES = ['coder', 'tester', 'constructor'];

/** A random agent of a plan. The numbers `behind` select the agents that it depends on. */
const drawnAgent = fc.record({
  role: fc.constantFrom(...ROLES),
  behind: fc.array(fc.nat(20), { maxLength: 3 }),
  stage: fc.nat(3),
  allowFailure: fc.boolean(),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
});

/** A random plan whose dependencies are valid for its strategy. Agents may be created before their dependencies. */
const plan: fc.Arbitrary<Plan> = fc
  .record({
    strategy: fc.constantFrom(...OrchestrationStrategy.options),
    onFailure: fc.constantFrom('continue' as const, 'continue' as const, 'fail_fast' as const),
    onInterrupted: fc.constantFrom('resume' as const, 'rerun' as const, 'fail' as const),
    maxConcurrent: fc.option(fc.integer({ min: 1, max: 4 })),
    roleLimits: fc.dictionary(fc.constantFrom(...ROLES), fc.integer({ min: 1, max: 2 })),
    drawn: fc.array(drawnAgent, { maxLength: 12 }),
    order: fc.array(fc.nat(1_000), { minLength: 12, maxLength: 12 }),
  })
  .map(({ drawn, order, onInterrupted, ...orchestration }) => {
    const { strategy } = orchestration;
    const specs = drawn.map(({ behind, ...fields }, index) => {
      const possible = drawn
        .slice(0, strategy === 'parallel' ? 0 : index)
        .flatMap(({ stage }, at) => (strategy === 'pipeline' && stage > fields.stage ? [] : [`a${at}`]));
      const dependencies = behind.flatMap((at) => possible[at % Math.max(possible.length, 1)] ?? []);
      return { at: order[index] ?? 0, spec: spec({ agentId: `a${index}`, dependencies, ...fields }) };
    });
    const created = specs.sort((a, b) => a.at - b.at).map((agent) => agent.spec);
    const agents = planAgents(strategy, created).map((agent) => ({
      ...agent,
      state: 'pending' as const,
      attempt: 0,
      reason: null,
    }));
    return { orchestration: { ...orchestration, state: 'created' }, agents, onInterrupted };
  });

const outcome: fc.Arbitrary<Outcome> = fc.constantFrom(
  'completed',
  'completed',
  'completed',
  'failed',
  'cancelled',
  'unreported',
  'lost',
);
const at = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('end' as const), at, outcome }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('progress' as const),
      at,
      value: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'crash' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'continue' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause' as const), interrupt: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ do: 'resume' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retry' as const), at }) },
);
const steps = fc.array(step, { maxLength: 40 });

describe(`random runs (seed ${SEED})`, { timeout: TIMEOUT }, () => {
  it('obey the rules at every step, and end', () => {
    fc.assert(
      fc.property(plan, steps, fc.boolean(), (planned, taken, isCancelled) => {
        const run = new ModelRun(planned);
        run.start();
        for (const each of taken) run.take(each);
        if (isCancelled) run.take({ do: 'cancel' });
        run.finish();
      }),
      OPTIONS,
    );
  });

  it('end with the same states for any order in which agents finish', () => {
    const orders = fc.array(at, { minLength: 12, maxLength: 12 });
    const outcomes = fc.array(fc.constantFrom<Outcome>('completed', 'completed', 'failed', 'cancelled'), {
      minLength: 12,
      maxLength: 12,
    });
    const policy = { onFailure: 'continue' } as const;
    fc.assert(
      fc.property(plan, outcomes, orders, orders, (drawn, ends, one, other) => {
        const agents = drawn.agents.map((agent) => ({ ...agent, maxAttempts: 1 }));
        const planned = { ...drawn, agents, orchestration: { ...drawn.orchestration, ...policy } };
        const statesOf = (order: readonly number[]) => {
          const run = new ModelRun(planned);
          run.start();
          for (const position of order) {
            const running = run.agents.filter((agent) => agent.state === 'running');
            const agent = running[position % Math.max(running.length, 1)];
            if (agent === undefined) break;
            const end = ends[Number(agent.agentId.slice(1))] ?? 'completed';
            run.take({ do: 'end', at: running.indexOf(agent), outcome: end });
          }
          return { states: run.states(), end: run.state };
        };
        expect(statesOf(other)).toEqual(statesOf(one));
      }),
      OPTIONS,
    );
  });
});

describe(`random plans (seed ${SEED})`, { timeout: TIMEOUT }, () => {
  it('run in waves, each agent once and after its dependencies', () => {
    fc.assert(
      fc.property(plan, ({ orchestration: { strategy }, agents }) => {
        const waves = wavesOf(strategy, agents);
        expect(waves.flat().sort()).toEqual(agents.map(({ agentId }) => agentId).sort());
        const waveOf = new Map(waves.flatMap((wave, index) => wave.map((agentId) => [agentId, index])));
        for (const { agentId, dependencies } of agents) {
          for (const dependency of dependencies) {
            expect(waveOf.get(dependency)).toBeLessThan(waveOf.get(agentId) ?? -1);
          }
        }
        if (strategy === 'sequential') expect(waves.every((wave) => wave.length === 1)).toBe(true);
      }),
      OPTIONS,
    );
  });

  it('are refused with an existing cycle, or have no cycle', () => {
    const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 14 });
    fc.assert(
      fc.property(edges, (drawn) => {
        const specs = NAMES.map((agentId, index) => {
          const edgesOfAgent = drawn.filter(([from, to]) => from === index && to !== index);
          return spec({ agentId, dependencies: edgesOfAgent.map(([, to]) => `a${to}`) });
        });
        let cycle: string[] = [];
        try {
          planAgents('adaptive', specs);
        } catch (error) {
          cycle = (error as { details: { cycle: string[] } }).details.cycle;
        }
        const hasEdge = (from: string, to: string) =>
          specs.some(({ agentId, dependencies }) => agentId === from && dependencies.includes(to));
        expect(cycle.length > 0).toBe(NAMES.some((name) => reaches(hasEdge, name, name)));
        expect(cycle.at(-1)).toBe(cycle[0]);
        expect(cycle.slice(1).every((name, index) => hasEdge(cycle[index] ?? '', name))).toBe(true);
        expect(new Set(cycle).size).toBe(Math.max(cycle.length - 1, 0));
      }),
      OPTIONS,
    );
  });
});

function reaches(hasEdge: (from: string, to: string) => boolean, from: string, to: string): boolean {
  const found = new Set<string>();
  for (let names: readonly string[] = [from]; names.length > 0; ) {
    names = NAMES.filter((name) => !found.has(name) && names.some((each) => hasEdge(each, name)));
    for (const name of names) found.add(name);
  }
  return found.has(to);
}
