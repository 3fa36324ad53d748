import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../src/engine/changes/author.ts';
import type { OrchestrationActions } from '../../src/engine/orchestrations/actions.ts';
import { createSessionEnds } from '../../src/engine/orchestrations/session-ends.ts';
import type { NewRow } from '../../src/ports/rows.ts';
import type { Transaction } from '../../src/ports/storage.ts';
import { orchestrationRow, sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const time = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
/** When the work of the agents ended. */
const END = time(10);

let s: ReturnType<typeof openStorage>;
/** What was decided for each session that was to be stopped, in order. */
let decided: string[];
/** Runs just before it is decided whether the first session is stopped. */
let meanwhile: (tx: Transaction) => Promise<void>;

beforeEach(() => {
  s = openStorage({ now: () => new Date(time(20)) });
  decided = [];
  meanwhile = async () => {};
});
afterEach(() => s.close());

const write = <T>(work: (tx: Transaction) => Promise<T>, actor = SYSTEM.actor) => s.storage.write({ actor }, work);

const never = async () => {
  throw new Error('not part of these tests');
};
const canContinue = { now: true };
const actions: OrchestrationActions = {
  ...{ start: never, continue: never, prepareTarget: never, integrate: never, resolve: never, check: never },
  ...{ interrupt: never, endCheck: never, release: never },
  canContinue: async () => canContinue.now,
  async stop(sessionId, decide = async () => 'stop') {
    await write(meanwhile);
    meanwhile = async () => {};
    decided.push(`${sessionId} ${await write(decide)}`);
  },
};
const ends = () =>
  createSessionEnds({
    storage: s.storage,
    actions,
    pauseIfIdle: async () => {},
    now: () => new Date(time(20)),
  });

/** Inserts sessions of an orchestration, each with an agent that has run since before the end of its work. */
function insert(
  over: Partial<NewRow<'orchestrations'>>,
  sessionIds: string[],
  attempt: 'cancelled' | 'timeout' | null,
) {
  return write(async (tx) => {
    await tx.orchestrations.insert(orchestrationRow('run', over));
    for (const id of sessionIds) {
      await tx.sessions.insert(sessionRow(id, { orchestrationId: 'run' }));
      await tx.workers.insert(agentRow(id, time(0)));
      if (attempt === null) continue;
      await tx.orchestrationAttempts.insert({
        ...{ id, orchestrationId: 'run', agentId: id, attempt: 1, sessionId: id, taskId: id },
        ...{ startedAt: time(0), endedAt: END },
        ...(attempt === 'timeout' ? { state: 'failed', reason: attempt } : { state: attempt, reason: null }),
      });
    }
  });
}

const agentRow = (sessionId: string, createdAt: string): NewRow<'workers'> => ({
  ...{ id: `agent of ${sessionId}, ${createdAt}`, sessionId, type: 'agent', state: 'running', cols: 80, rows: 24 },
  ...{ activitySince: createdAt, createdAt },
});

/** An input that was dropped after it had been typed to the agent of the session. */
const inputRow = (sessionId: string, over: Partial<NewRow<'inputs'>> = {}): NewRow<'inputs'> => ({
  ...{ id: `input of ${sessionId}`, workerId: agentRow(sessionId, time(0)).id, taskId: sessionId, kind: 'prompt' },
  ...{ text: 'Work', state: 'dropped', submittedOffset: 1, createdAt: time(1), ...over },
});

const prompt = (sessionId: string, over: Partial<NewRow<'tasks'>> = {}) => {
  const source = { sourceKind: 'person', sourceId: 'user', createdAt: time(11) } as const;
  return taskRow(`prompt to ${sessionId}`, sessionId, 'Go on', { ...source, ...over });
};

async function apply() {
  const orchestration = await s.storage.read.orchestrations.get('run');
  if (orchestration === undefined) throw new Error('no orchestration');
  await ends().apply({ orchestration, agents: [], start: [], continue: [], integrates: false, wakeAt: null });
  return decided;
}

const cancelled = { state: 'cancelled', completedAt: END } as const;

describe('the agent of a cancelled or timed-out task', () => {
  it('is replaced if somebody prompts its session just before it is stopped', async () => {
    await insert(cancelled, ['first', 'second'], 'cancelled');
    meanwhile = async (tx) => {
      for (const id of ['first', 'second']) await tx.tasks.insert(prompt(id));
    };
    expect(await apply()).toEqual(['first restart', 'second restart']);
  });

  it('is replaced in a running orchestration too', async () => {
    await insert({ state: 'running' }, ['late'], 'timeout');
    await write((tx) => tx.tasks.insert(prompt('late')));
    expect(await apply()).toEqual(['late restart']);
  });

  it('is not saved by a prompt of its own, or by one that was cancelled', async () => {
    await insert({ state: 'running' }, ['late', 'later'], 'timeout');
    await write(async (tx) => {
      await tx.tasks.insert(prompt('late', { sourceKind: 'session', sourceId: 'late' }));
      await tx.tasks.insert(prompt('later', { status: 'cancelled', endedAt: time(12) }));
    });
    expect(await apply()).toEqual(['late stop', 'later stop']);
  });

  it('is kept once it works on a new prompt, because then its cancelled turn has ended', async () => {
    await insert(cancelled, ['first'], 'cancelled');
    await write((tx) => tx.tasks.insert(prompt('first', { status: 'running', startedAt: time(12) })));
    expect(await apply()).toEqual(['first keep']);
  });

  it('is kept or replaced if a prompt was already queued when the task ended', async () => {
    await insert(cancelled, ['first', 'second'], 'cancelled');
    await write(async (tx) => {
      await tx.tasks.insert(prompt('first', { createdAt: time(9), status: 'running', startedAt: time(12) }));
      await tx.tasks.insert(prompt('second', { createdAt: time(9) }));
    });
    expect(await apply()).toEqual(['first keep', 'second restart']);
  });

  it('is replaced although a new prompt has begun, if it acknowledged neither that one nor the cancelled one', async () => {
    await insert(cancelled, ['neither', 'new', 'unsent'], 'cancelled');
    await write(async (tx) => {
      for (const id of ['neither', 'new', 'unsent']) {
        await tx.tasks.insert(prompt(id, { status: 'running', startedAt: time(12) }));
      }
      await tx.inputs.insert(inputRow('neither'));
      await tx.inputs.insert(inputRow('new'));
      const later = { id: 'later', taskId: 'prompt to new', createdAt: time(12) } as const;
      await tx.inputs.insert(inputRow('new', { ...later, state: 'accepted', acceptedBy: 'hook' }));
      await tx.inputs.insert(inputRow('unsent', { submittedOffset: null }));
    });
    expect(await apply()).toEqual(['neither restart', 'new keep', 'unsent keep']);
  });

  it('is kept if somebody started it after the end, even if the events of the start are no longer stored', async () => {
    await insert(cancelled, ['first', 'unneeded'], 'cancelled');
    await write(async (tx) => {
      await tx.workers.remove({});
      for (const id of ['first', 'unneeded']) await tx.workers.insert(agentRow(id, time(11)));
      // The console itself may start an agent just after the end.
      const subject = { kind: 'worker', id: agentRow('unneeded', time(11)).id } as const;
      const data = { workerType: 'agent', pid: 1, logOffset: 0 } as const;
      await tx.record({ type: 'worker.started', subject, sessionId: 'unneeded', data });
    });
    expect(await apply()).toEqual(['first keep', 'unneeded stop']);
  });

  it('is kept if the console started it for a prompt that was already queued when the task ended', async () => {
    await insert(cancelled, ['first'], 'cancelled');
    await write(async (tx) => {
      await tx.workers.remove({});
      const agent = await tx.workers.insert(agentRow('first', time(11)));
      const subject = { kind: 'worker', id: agent.id } as const;
      const data = { workerType: 'agent', pid: 1, logOffset: 0 } as const;
      await tx.record({ type: 'worker.started', subject, sessionId: 'first', data });
      await tx.tasks.insert(prompt('first', { createdAt: time(9), status: 'running', startedAt: time(11) }));
    });
    expect(await apply()).toEqual(['first keep']);
  });
});

it('a cancellation leaves a session alone that was continued after it had resolved conflicts', async () => {
  await insert({ ...cancelled, completedAt: time(15) }, ['resolver'], null);
  await write(async (tx) => {
    const work = { sourceKind: 'orchestration', sourceId: 'run', status: 'completed', endedAt: END } as const;
    await tx.tasks.insert(taskRow('work', 'resolver', 'Resolve', work));
    await tx.tasks.insert(prompt('resolver', { status: 'running', startedAt: time(12) }));
  });
  expect(await apply()).toEqual(['resolver keep']);
});

it('a removal stops no session that is prompted just before it is stopped', async () => {
  canContinue.now = false;
  await insert({ state: 'completed', completedAt: END }, ['first', 'second'], 'cancelled');
  meanwhile = async (tx) => void (await tx.tasks.insert(prompt('first')));
  await expect(ends().endAll('run')).rejects.toMatchObject({ code: 'CONFLICT', details: { sessionId: 'first' } });
  expect(decided).toEqual(['second stop']);
});
