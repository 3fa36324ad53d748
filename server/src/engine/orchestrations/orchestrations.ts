import { ConsoleError, fieldError, notFound } from '@agent-console/shared/errors';
import { ORCHESTRATION_AGENTS_MAX } from '@agent-console/shared/limits/orchestrations';
import type { AgentSpec } from '@agent-console/shared/operations/orchestrations';
import { type PlannedAgent, planAgents } from '../../domain/orchestration/plan.ts';
import { agentsToRetry, refuseRetryOfIntegration } from '../../domain/orchestration/retry.ts';
import { FINAL_AGENT_STATES, FINAL_STATES, nextOrchestrationState } from '../../domain/orchestration/states.ts';
import type { OrchestrationFiles } from '../../ports/orchestration-files.ts';
import type { NewRow, OrchestrationAgentRow, OrchestrationRow } from '../../ports/rows.ts';
import type { Author, Storage, Transaction } from '../../ports/storage.ts';
import { allowMoreByDefault } from '../budgets/change.ts';
import { refuseOverBudget } from '../budgets/enforce.ts';
import { isAsked } from '../budgets/question.ts';
import { type ChangeDeps, finishTask } from '../changes/task-changes.ts';
import { agentsOf, changeAgent, closeAttempt, endOrchestration, recordEvent, storeCounts } from './changes.ts';
import type { OrchestrationScheduler } from './scheduler.ts';

/** The orchestration that a caller requested, with defaults filled in and references resolved. */
type OrchestrationPlan = Omit<
  NewRow<'orchestrations'>,
  'id' | 'createdAt' | 'state' | 'agentCount' | 'completedAgents' | 'failedAgents'
> & { agents: readonly PlannedAgent[] };

/** Creates and controls orchestrations. Every change is stored with its events; the scheduler then carries it out. */
export interface Orchestrations {
  /**
   * Stores an orchestration with its agents, and calls `stored` in the same transaction. With `start`, this transaction
   * also starts the orchestration. If a later transaction started it, a crash could leave it unstarted, because a
   * repeated call only returns the stored orchestration.
   */
  create(
    author: Author,
    plan: OrchestrationPlan,
    start: boolean,
    stored: (tx: Transaction, id: string) => Promise<void>,
  ): Promise<string>;
  /**
   * Starts the orchestration.
   * @throws CONFLICT with the current state if an orchestration in this state cannot be started. The methods below
   *   throw CONFLICT in the same way.
   */
  start(author: Author, id: string): Promise<void>;
  pause(author: Author, id: string, by: 'person' | 'session' | 'budget', interrupt: boolean): Promise<void>;
  /**
   * Resumes the orchestration. First raises its budget if the budget has paused it, or if a person resumes it while
   * people are asked whether to raise the budget.
   * @throws LIMIT_EXCEEDED if a budget that covers the session that created the orchestration is used up.
   */
  resume(author: Author, id: string, by: 'person' | 'session'): Promise<void>;
  cancel(author: Author, id: string, notify: boolean): Promise<void>;
  addAgents(
    author: Author,
    id: string,
    specs: readonly AgentSpec[],
    stored: (tx: Transaction) => Promise<void>,
  ): Promise<void>;
  retryAgent(author: Author, id: string, agentId: string): Promise<void>;
  /**
   * Integrates the branches of the agents again. @throws CONFLICT unless the orchestration failed because of its
   * integration.
   */
  retryIntegration(author: Author, id: string): Promise<void>;
  /** Archives an orchestration that has ended, or unarchives one. @throws CONFLICT if it has not ended. */
  setArchived(author: Author, id: string, archived: boolean): Promise<void>;
  /**
   * Stores the progress, status and artifacts that an agent reports for its own work.
   * @throws CONFLICT if the session does not belong to an agent of an orchestration, or if the agent has ended.
   */
  report(
    author: Author,
    sessionId: string,
    report: { progress?: number | undefined; status?: string | undefined; artifacts?: string[] | undefined },
  ): Promise<OrchestrationAgentRow>;
}

interface Deps extends ChangeDeps {
  storage: Storage;
  scheduler: OrchestrationScheduler;
  files: Pick<OrchestrationFiles, 'create'>;
}

/** @throws CONFLICT for an ended orchestration, VALIDATION for too many agents. */
function refuseMoreAgents({ id, state }: OrchestrationRow, count: number): void {
  if (FINAL_STATES.includes(state)) {
    throw new ConsoleError('CONFLICT', `This orchestration is ${state}, so no agents can be added.`, {
      orchestrationId: id,
      state,
    });
  }
  if (count > ORCHESTRATION_AGENTS_MAX) {
    throw fieldError('agents', `an orchestration can have at most ${ORCHESTRATION_AGENTS_MAX} agents`);
  }
}

/** Outcome of the open tasks of a cancelled orchestration. */
const CANCELLED = {
  status: 'cancelled',
  source: 'system',
  certain: true,
  summary: 'The orchestration was cancelled.',
} as const;

export function createOrchestrations({ storage, scheduler, files, ...deps }: Deps): Orchestrations {
  const { now, newId } = deps;

  /** Changes an orchestration in one transaction, then lets the scheduler take the next steps. */
  async function change(
    author: Author,
    id: string,
    work: (tx: Transaction, row: OrchestrationRow, agents: OrchestrationAgentRow[]) => Promise<void>,
  ): Promise<void> {
    await storage.write(author, async (tx) => {
      const row = await tx.orchestrations.get(id);
      if (row === undefined) throw notFound('Orchestration', id);
      await work(tx, row, await agentsOf(tx, id));
      const current = await tx.orchestrations.get(id);
      if (current !== undefined) await storeCounts(tx, current, await agentsOf(tx, id));
    });
    await scheduler.settle(id);
  }

  async function storeArchived(tx: Transaction, { id, archivedAt }: OrchestrationRow, archived: boolean) {
    if ((archivedAt !== null) === archived) return;
    await tx.orchestrations.update(id, { archivedAt: archived ? now().toISOString() : null });
    await recordEvent(tx, id, archived ? 'orchestration.archived' : 'orchestration.unarchived', {});
  }

  async function storeStart(tx: Transaction, row: Pick<OrchestrationRow, 'id' | 'state'>): Promise<void> {
    const state = nextOrchestrationState(row.state, 'start');
    await tx.orchestrations.update(row.id, { state, startedAt: now().toISOString() });
    await recordEvent(tx, row.id, 'orchestration.started', {});
  }

  async function reopen(tx: Transaction, row: OrchestrationRow): Promise<void> {
    // The time since the end counts like a pause. Otherwise a retry on the next day would use up a budget of wall time.
    const pausedMs = row.pausedMs + (row.completedAt === null ? 0 : now().getTime() - Date.parse(row.completedAt));
    await tx.orchestrations.update(row.id, { state: 'running', completedAt: null, errorMessage: null, pausedMs });
    await recordEvent(tx, row.id, 'orchestration.started', {});
    await storeArchived(tx, row, false);
  }

  async function insertAgents(tx: Transaction, orchestrationId: string, planned: readonly PlannedAgent[]) {
    const createdAt = now().toISOString();
    for (const agent of planned) {
      await tx.orchestrationAgents.insert({ ...agent, id: newId(), orchestrationId, createdAt });
    }
  }

  async function endIntegration(tx: Transaction, { id, integration }: OrchestrationRow): Promise<void> {
    if (integration?.state !== 'running') return;
    const errorMessage = CANCELLED.summary;
    await tx.orchestrations.update(id, { integration: { ...integration, state: 'failed', errorMessage } });
  }

  /** Ends the task and the attempt of an agent that is tried again in another session. */
  async function replaceAttempt(tx: Transaction, agent: OrchestrationAgentRow): Promise<void> {
    if (agent.taskId === null) return;
    const error = { code: 'CONFLICT', message: 'The agent is retried in another session.' } as const;
    await finishTask(tx, deps, agent.taskId, { status: 'cancelled', source: 'system', certain: true, error });
    await closeAttempt(tx, deps, agent, { state: 'cancelled', reason: null });
  }

  return {
    async create(author, { agents: planned, ...plan }, start, stored) {
      const id = newId();
      const row = { ...plan, id, createdAt: now().toISOString() };
      // The folders are created first, because an orchestration must not exist without its folders. Folders without a
      // row are removed by the clean-up.
      await files.create(
        row,
        planned.map(({ agentId }) => agentId),
      );
      await storage.write(author, async (tx) => {
        const created = await tx.orchestrations.insert({ ...row, agentCount: planned.length });
        await insertAgents(tx, id, planned);
        const { objective, strategy } = plan;
        const data = { session_id: id, objective, strategy, agent_count: planned.length };
        await recordEvent(tx, id, 'orchestration.created', data);
        if (start) await storeStart(tx, created);
        await stored(tx, id);
      });
      if (start) await scheduler.settle(id);
      return id;
    },
    start: (author, id) => change(author, id, storeStart),
    pause: (author, id, by, interrupt) =>
      change(author, id, async (tx, row, agents) => {
        // A person may also pause an orchestration that its budget has paused. Otherwise, a higher budget would resume
        // the orchestration against the person's will.
        if (row.state !== 'paused' || (row.pausedBy === 'budget' && by === 'person')) {
          const state = nextOrchestrationState(row.state, 'pause');
          await tx.orchestrations.update(id, { state, pausedBy: by, pausedAt: row.pausedAt ?? now().toISOString() });
          await recordEvent(tx, id, 'orchestration.paused', { session_id: id, pausedBy: by, interrupt });
        }
        if (!interrupt) return;
        for (const agent of agents.filter(({ state }) => state === 'running')) {
          await changeAgent(tx, agent, { state: 'paused', reason: 'paused' }, 'orchestration.agent_paused');
        }
      }),
    resume: (author, id, by) =>
      change(author, id, async (tx, row) => {
        const state = nextOrchestrationState(row.state, 'resume');
        // The orchestration must not resume if a budget of the session that created it is used up.
        await refuseOverBudget(tx, deps, { sessionIds: [row.createdBySessionId] }, { isNew: true });
        if (by === 'person' && (await isAsked(tx, { kind: 'orchestration', row }))) {
          // A person may have paused an orchestration that the budget had already paused. Both pauses end; otherwise,
          // the budget would pause the orchestration again at once.
          await tx.orchestrations.update(id, { pausedBy: 'budget' });
          return allowMoreByDefault(tx, deps, row);
        }
        if (row.pausedBy === 'budget') return allowMoreByDefault(tx, deps, row);
        const pausedMs = row.pausedMs + (row.pausedAt === null ? 0 : now().getTime() - Date.parse(row.pausedAt));
        await tx.orchestrations.update(id, { state, pausedBy: null, pausedAt: null, pausedMs });
        await recordEvent(tx, id, 'orchestration.resumed', {});
      }),
    cancel: (author, id, notify) =>
      change(author, id, async (tx, row, agents) => {
        nextOrchestrationState(row.state, 'cancel');
        const completedAt = now().toISOString();
        for (const agent of agents) {
          if (FINAL_AGENT_STATES.includes(agent.state)) continue;
          if (agent.taskId !== null) await finishTask(tx, deps, agent.taskId, CANCELLED);
          const patch = { state: 'cancelled', reason: 'orchestration_cancelled', completedAt } as const;
          await closeAttempt(tx, deps, agent, patch);
          await changeAgent(tx, agent, patch, 'orchestration.agent_cancelled');
        }
        await endIntegration(tx, row);
        await endOrchestration(tx, deps, row, { state: 'cancelled', errorMessage: null, notify });
      }),
    async addAgents(author, id, specs, stored) {
      const plan = (row: OrchestrationRow, agents: readonly OrchestrationAgentRow[]) => {
        refuseMoreAgents(row, agents.length + specs.length);
        return planAgents(row.strategy, specs, agents);
      };
      const found = await storage.read.orchestrations.get(id);
      if (found === undefined) throw notFound('Orchestration', id);
      const names = plan(found, await agentsOf(storage.read, id)).map(({ agentId }) => agentId);
      // The folders are created first, because an agent must not exist without its folders. A folder without an agent
      // does no harm.
      await files.create(found, names);
      await change(author, id, async (tx, row, agents) => {
        const planned = plan(row, agents);
        // A simultaneous call may have taken a default name. Then the new agent has another name, whose folder is
        // created here.
        const others = planned.map(({ agentId }) => agentId).filter((name) => !names.includes(name));
        if (others.length > 0) await files.create(row, others);
        await insertAgents(tx, id, planned);
        await tx.orchestrations.update(id, { progress: 0, integration: null });
        for (const { agentId, role } of planned)
          await recordEvent(tx, id, 'orchestration.agent_added', { agentId, role });
        await stored(tx);
      });
    },
    retryAgent: (author, id, agentId) =>
      change(author, id, async (tx, row, agents) => {
        if (row.state === 'created' || row.state === 'cancelled') {
          const message =
            row.state === 'created'
              ? 'This orchestration has not been started yet, so its agents cannot be retried. Start it.'
              : 'This orchestration was cancelled, so its agents cannot be retried. Create a new one.';
          throw new ConsoleError('CONFLICT', message, { state: row.state });
        }
        const agentsToReset = new Set(agentsToRetry(row, agents, agentId));
        for (const each of agents) {
          if (!agentsToReset.has(each.agentId)) continue;
          await replaceAttempt(tx, each);
          const patch = {
            state: 'pending',
            reason: null,
            errorMessage: null,
            exitCode: null,
            completedAt: null,
          } as const;
          await changeAgent(tx, each, patch, 'orchestration.agent_retried');
        }
        // The branches are integrated again, because the earlier integration lacks the work of the new attempts.
        await tx.orchestrations.update(id, { progress: 0, integration: null });
        if (row.state === 'completed' || row.state === 'failed') await reopen(tx, row);
      }),
    retryIntegration: (author, id) =>
      change(author, id, async (tx, row) => {
        refuseRetryOfIntegration(row);
        await tx.orchestrations.update(id, { integration: null });
        await reopen(tx, row);
      }),
    setArchived: (author, id, archived) =>
      storage.write(author, async (tx) => {
        const row = await tx.orchestrations.get(id);
        if (row === undefined) throw notFound('Orchestration', id);
        if (archived && !FINAL_STATES.includes(row.state)) {
          throw new ConsoleError(
            'CONFLICT',
            `This orchestration is ${row.state}, so it cannot be archived. Cancel it, or wait for its end.`,
            {
              orchestrationId: id,
              state: row.state,
            },
          );
        }
        await storeArchived(tx, row, archived);
      }),
    async report(author, sessionId, { progress, status, artifacts }) {
      return storage.write(author, async (tx) => {
        const agent = await tx.orchestrationAgents.first({ sessionId }, { order: ['-id'] });
        if (agent === undefined || FINAL_AGENT_STATES.includes(agent.state)) {
          throw new ConsoleError(
            'CONFLICT',
            'This session is not a running agent of an orchestration. Use report_result for the outcome of its task.',
            { sessionId },
          );
        }
        const added = (artifacts ?? []).filter((each) => !agent.artifacts.includes(each));
        const changed = {
          ...agent,
          progress: progress ?? agent.progress,
          status: status ?? agent.status,
          artifacts: [...agent.artifacts, ...added],
        };
        const { agentId, orchestrationId } = agent;
        await tx.orchestrationAgents.update(agent.id, {
          progress: changed.progress,
          status: changed.status,
          artifacts: changed.artifacts,
        });
        if (progress !== undefined || status !== undefined) {
          const data = { agentId, progress: changed.progress, status: changed.status };
          await recordEvent(tx, orchestrationId, 'orchestration.progressed', data);
        }
        if (added.length > 0) {
          await recordEvent(tx, orchestrationId, 'orchestration.artifact_added', { agentId, artifacts: added });
        }
        const orchestration = await tx.orchestrations.get(orchestrationId);
        if (orchestration !== undefined) await storeCounts(tx, orchestration, await agentsOf(tx, orchestrationId));
        return changed;
      });
    },
  };
}
