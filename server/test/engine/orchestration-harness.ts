import { ConsoleError } from '@agent-console/shared/errors';
import { ORCHESTRATION_EVENT_TYPES } from '@agent-console/shared/models/orchestration';
import type { AgentSpec } from '@agent-console/shared/operations/orchestrations';
import { planAgents } from '../../src/domain/orchestration/plan.ts';
import { toPublicEvent } from '../../src/engine/access/public-event.ts';
import { SYSTEM, sourceOfOrchestration } from '../../src/engine/changes/author.ts';
import { finishTask, insertTask } from '../../src/engine/changes/task-changes.ts';
import type { BegunAttempt } from '../../src/engine/orchestrations/actions.ts';
import { createOrchestrationCleanup } from '../../src/engine/orchestrations/cleanup.ts';
import { createOrchestrations } from '../../src/engine/orchestrations/orchestrations.ts';
import { createOrchestrationScheduler } from '../../src/engine/orchestrations/scheduler.ts';
import { sessionRow as storedSession } from '../../src/engine/rows.ts';
import { createSettings } from '../../src/engine/settings.ts';
import { createEventHub } from '../../src/events/hub.ts';
import type { Storage, Transaction } from '../../src/ports/storage.ts';
import { AGENT_STATES, STATES } from '../support/orchestration-replay.ts';
import { sessionRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

/** Ways in which the task of an agent can end. */
export type TaskEnd = 'completed' | 'failed' | 'unreported' | 'lost' | 'paused';

const ENDS = {
  completed: { status: 'completed', source: 'report', certain: true, summary: 'done' },
  failed: { status: 'failed', source: 'report', certain: true, summary: 'no' },
  unreported: { status: 'completed', source: 'hook', certain: false },
  lost: { status: 'interrupted', source: 'system', certain: true, error: { code: 'RUNNER_UNAVAILABLE', message: '' } },
  paused: { status: 'interrupted', source: 'person', certain: true },
} as const;

/** Whether starts of agents succeed, or fail because of a limit or another error. */
export type StartFault = 'none' | 'limit' | 'error';

/**
 * The scheduler of orchestrations over a real database. Sessions and tasks are rows without processes. Every
 * transaction is checked just before it is committed.
 */
export function openOrchestrations() {
  let count = 0;
  const newId = () => {
    count += 1;
    return `id-${String(count).padStart(6, '0')}`;
  };
  const now = () => new Date();
  let committed: ReturnType<typeof createEventHub>['committed'] = () => {};
  const s = openStorage({ onCommit: (rows) => committed(rows) });
  const hub = createEventHub(s.storage.read.events, 0, toPublicEvent);
  committed = hub.committed;
  s.writer.raw.exec(TRACE);
  const errors: Error[] = [];
  const starts: string[] = [];
  let archived = 0;
  let writes = 0;
  let startFault: StartFault = 'none';
  /** Position of the orchestration event that cannot be stored, counted from now: the next event has position 1. */
  let untilFault = Number.POSITIVE_INFINITY;

  const sql = (statement: string) => s.writer.raw.prepare(statement).all() as Record<string, string | number>[];

  /** Returns all rows of orchestrations, events and tasks, as JSON. */
  const stored = () =>
    JSON.stringify(
      ['orchestrations', 'orchestration_agents', 'orchestration_attempts', 'events', 'tasks'].map((table) =>
        sql(`select * from ${table}`),
      ),
    );

  /** Checks the counts and events that a transaction is about to commit. */
  function check(): void {
    for (const row of sql(COUNTS)) {
      const { agent_count, agents, completed_agents, completed, failed_agents, failed } = row;
      if (agent_count !== agents || completed_agents !== completed || failed_agents !== failed) {
        throw new Error(`the counts are not those of the agents: ${JSON.stringify(row)}`);
      }
    }
    const trace = sql('select * from trace order by rowid');
    for (const [at, { kind, subject, value }] of trace.entries()) {
      if (kind !== 'change') continue;
      const shown = trace.slice(at + 1).find((each) => each.subject === subject);
      if (shown?.kind !== 'event' || stateAfter(String(shown.value)) !== value) {
        throw new Error(`${subject} became ${value}, followed by ${JSON.stringify(shown)}`);
      }
    }
    s.writer.raw.exec('delete from trace');
  }

  const storage: Storage = {
    read: s.storage.read,
    async write(author, work) {
      writes += 1;
      return s.storage.write(author, async (tx) => {
        const result = await work({
          ...tx,
          async record(event) {
            await tx.record(event);
            if (event.subject.kind !== 'orchestration') return;
            untilFault -= 1;
            if (untilFault === 0) throw new ConsoleError('BUSY', 'injected fault');
          },
        });
        check();
        return result;
      });
    },
  };

  async function begin(tx: Transaction, orchestrationId: string, sessionId: string): Promise<BegunAttempt> {
    const task = await insertTask(
      tx,
      { now, newId },
      {
        ...sourceOfOrchestration(orchestrationId),
        sessionId,
        kind: 'prompt',
        prompt: 'work',
        position: 1,
        status: 'running',
        notifyOnCompletion: false,
      },
    );
    return { sessionId, taskId: task.id, worktreeId: 'worktree', branch: null };
  }

  async function endTask(taskId: string, end: TaskEnd): Promise<void> {
    await storage.write(SYSTEM, async (tx) => {
      await finishTask(tx, { now, newId }, taskId, ENDS[end]);
      const task = await tx.tasks.get(taskId);
      if (end === 'paused' && task !== undefined) await tx.sessions.update(task.sessionId, { mark: 'paused' });
    });
  }

  const nothing = async () => {};
  const never = async () => {
    throw new Error('not part of these tests');
  };
  const files = { create: nothing, sharedFolder: () => '/shared' };
  const scheduler = createOrchestrationScheduler({
    now,
    newId,
    storage,
    hub,
    files,
    git: { tipOf: never, contains: never, filesBetween: never },
    runner: { gone: false },
    actions: {
      async start(orchestration, agent, _plan, begun) {
        if (startFault === 'limit')
          throw new ConsoleError('LIMIT_EXCEEDED', 'full', { limit: 'liveSessions', value: 1 });
        if (startFault === 'error') throw new ConsoleError('VALIDATION', 'no such branch');
        await storage.write(SYSTEM, async (tx) => {
          const session = await tx.sessions.insert(sessionRow(newId(), { orchestrationId: orchestration.id }));
          await begun(tx, await begin(tx, orchestration.id, session.id));
        });
        starts.push(agent.agentId);
      },
      async continue(orchestration, sessionId, _prompt, begun) {
        if (startFault === 'error') throw new ConsoleError('NOT_FOUND', 'no such session');
        await storage.write(SYSTEM, async (tx) => {
          const before = await storedSession(tx.sessions, sessionId);
          await tx.sessions.update(sessionId, { mark: 'open' });
          await begun(tx, (await begin(tx, orchestration.id, sessionId)).taskId, before);
        });
      },
      canContinue: async () => true,
      async interrupt(sessionId) {
        const task = await storage.read.tasks.first({ sessionId, status: 'running' });
        if (task !== undefined) await endTask(task.id, 'paused');
      },
      prepareTarget: never,
      integrate: never,
      resolve: never,
      check: never,
      endCheck: nothing,
      release: async () => null,
      stop: nothing,
    },
    pauseIfIdle: nothing,
    onError: (error) => errors.push(error as Error),
  });
  const orchestrations = createOrchestrations({ now, newId, storage, scheduler, files });

  const cleanup = createOrchestrationCleanup({
    storage,
    files: {
      ...files,
      folderOf: () => '/orchestration',
      archiveFolderOf: () => '/archive',
      async archive(_, { events }) {
        for await (const _event of events) archived += 1;
      },
      remove: nothing,
      foldersBefore: async () => [],
      stage: never,
      deliver: never,
      staged: never,
      discard: never,
      writeAgentFile: never,
      agentFileTime: never,
    },
    runner: { extent: never, read: never },
    settings: createSettings({ storage }),
    scheduler,
    // This clock is ahead, so that all orchestrations have ended before its current time.
    now: () => new Date(Date.now() + 1_000),
    onError: (error) => errors.push(error as Error),
  });

  return {
    archivedEvents: () => archived,
    /** Number of transactions that the scheduler and the orchestrations have begun. */
    writes: () => writes,
    /** Records a change of settings, after which agents that wait for a limit may start. */
    changeSettings: () =>
      s.storage.write(SYSTEM, (tx) =>
        tx.record({ type: 'settings.updated', subject: { kind: 'settings', id: 'settings' }, data: {} }),
      ),
    errors,
    starts,
    orchestrations,
    scheduler,
    stored,
    read: s.storage.read,
    setStartFault(fault: StartFault) {
      startFault = fault;
    },
    /** Injects a failure into the transaction that records the nth event of an orchestration, counted from now. */
    failAtEvent(nth: number) {
      untilFault = nth;
    },
    hasFailed: () => untilFault <= 0,
    async create(
      plan: Pick<Parameters<typeof orchestrations.create>[1], 'strategy'> &
        Partial<Parameters<typeof orchestrations.create>[1]>,
      specs: readonly AgentSpec[],
    ): Promise<string> {
      const agents = planAgents(plan.strategy, specs);
      const row = { ...BASE, ...plan, agents };
      return orchestrations.create(SYSTEM, row, false, nothing);
    },
    /** Ends the task of an agent, if it has one, and runs the scheduler. */
    async end(id: string, agentId: string, end: TaskEnd): Promise<void> {
      const agent = await s.storage.read.orchestrationAgents.first({ orchestrationId: id, agentId });
      if (agent?.taskId != null) await endTask(agent.taskId, end);
      await scheduler.settle(id);
    },
    /**
     * Archives and removes orchestrations that have ended. Their cleanup keeps sessions, so this function also deletes
     * all sessions with their tasks and messages.
     */
    async cleanUp() {
      const results = await cleanup.run(SYSTEM, { olderThanDays: 0, archive: true, dryRun: false });
      s.writer.raw.exec('delete from messages; delete from tasks; delete from sessions');
      return results;
    },
    /** Deletes all events, as the console does when their retention is over. */
    prune: () =>
      s.storage.write(SYSTEM, (tx) =>
        tx.prune({ eventSeq: Number.MAX_SAFE_INTEGER, eventsAt: '9999', idempotencyAt: '9999' }),
      ),
    /** Stores a session that is about to resolve conflicts for an orchestration. Returns the id of its queued task. */
    async queueResolution(orchestrationId: string): Promise<string> {
      return s.storage.write(SYSTEM, async (tx) => {
        const session = await tx.sessions.insert(sessionRow(newId(), { orchestrationId }));
        const work = { ...sourceOfOrchestration(orchestrationId), kind: 'prompt', prompt: 'resolve' } as const;
        return (await insertTask(tx, { now, newId }, { ...work, sessionId: session.id })).id;
      });
    },
    rowsOf: (table: string) => Number(sql(`select count(*) as count from ${table}`)[0]?.count),
    pages: () => Number(sql('pragma page_count')[0]?.page_count),
    async close() {
      await scheduler.close();
      s.close();
    },
  };
}

const BASE = {
  workspaceHash: '0123456789abcdef',
  objective: 'Build the shop',
  repositoryId: 'repository',
  isolation: 'own',
  base: 'main',
  onFailure: 'continue',
  onInterrupted: 'resume',
  acceptUnreported: false,
  roleLimits: {},
} as const;

/** The state after an event of this type, or undefined if the event does not determine one. */
function stateAfter(type: string): string | undefined {
  const known = ORCHESTRATION_EVENT_TYPES[type as keyof typeof ORCHESTRATION_EVENT_TYPES];
  return STATES[known] ?? AGENT_STATES[known];
}

/**
 * SQL that creates a table and triggers. The triggers record the changes of states and the events of orchestrations in
 * the table, in the order in which they are stored.
 */
const TRACE = `
  create table trace (kind text, subject text, value text);
  create trigger trace_orchestration after update of state on orchestrations when old.state <> new.state begin
    insert into trace values ('change', new.id, new.state);
  end;
  create trigger trace_agent after update of state on orchestration_agents when old.state <> new.state begin
    insert into trace values ('change', new.orchestration_id || ' ' || new.agent_id, new.state);
  end;
  create trigger trace_event after insert on events when new.subjectKind = 'orchestration' begin
    insert into trace
      select 'event', orchestration_id || coalesce(' ' || agent_id, ''), event_type
      from orchestration_events where id = new.seq;
  end;
`;

/**
 * SQL that returns, for each orchestration, the stored counts of its agents and the counts computed from their rows.
 */
const COUNTS = `
  select o.id, agent_count, completed_agents, failed_agents, count(a.id) as agents,
    sum(coalesce(a.state = 'completed', 0)) as completed, sum(coalesce(a.state = 'failed', 0)) as failed
  from orchestrations o left join orchestration_agents a on a.orchestration_id = o.id group by o.id
`;
