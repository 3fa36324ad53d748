import type { EventDataOf, EventType } from '@agent-console/shared/models/event-data';
import { progressOf } from '../../domain/orchestration/progress.ts';
import { mayAgentBecome } from '../../domain/orchestration/states.ts';
import { OPEN_STATUSES } from '../../domain/tasks.ts';
import type { OrchestrationAgentRow, OrchestrationRow } from '../../ports/rows.ts';
import type { NewEvent, Readers, Transaction } from '../../ports/storage.ts';
import { releaseEnded } from '../budgets/change.ts';
import { aboutOrchestration } from '../changes/subjects.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { addNotice, finishTask } from '../changes/task-changes.ts';

/**
 * The functions in this file change orchestrations and their agents inside a transaction, and record an event for each
 * change.
 */

type OrchestrationEvent = Extract<EventType, `orchestration.${string}`>;
type AgentEvent = Extract<EventType, `orchestration.agent_${string}`>;

export async function recordEvent<T extends OrchestrationEvent>(
  tx: Transaction,
  orchestrationId: string,
  type: T,
  data: EventDataOf<T>,
): Promise<void> {
  const row = await tx.orchestrations.get(orchestrationId);
  const about = aboutOrchestration(row ?? { id: orchestrationId, createdBySessionId: null });
  await tx.record({ type, ...about, data } as NewEvent);
}

/**
 * Stores changes of an agent's row, and records them as an event.
 * @throws an Error for a change of state that `mayAgentBecome` does not allow. Such a change is a bug.
 */
export async function changeAgent(
  tx: Transaction,
  row: OrchestrationAgentRow,
  patch: Partial<OrchestrationAgentRow>,
  type: AgentEvent,
): Promise<OrchestrationAgentRow> {
  if (patch.state !== undefined && patch.state !== row.state && !mayAgentBecome(row.state, patch.state)) {
    throw new Error(`agent ${row.agentId} of an orchestration may not change from ${row.state} to ${patch.state}`);
  }
  await tx.orchestrationAgents.update(row.id, patch);
  const changed = { ...row, ...patch };
  const { agentId, role, attempt, sessionId, taskId, reason, exitCode, errorMessage } = changed;
  const data = { agentId, role, attempt, sessionId, taskId, reason, exitCode, errorMessage };
  await recordEvent(tx, row.orchestrationId, type, data);
  return changed;
}

/** Stores the end of the current attempt of an agent, unless it has ended already. */
export async function closeAttempt(
  tx: Transaction,
  deps: ChangeDeps,
  { orchestrationId, agentId, taskId }: OrchestrationAgentRow,
  { state, reason }: { state: OrchestrationAgentRow['state']; reason: string | null },
): Promise<void> {
  if (taskId === null) return;
  const attempt = await tx.orchestrationAttempts.first({ orchestrationId, agentId, taskId, endedAt: null });
  if (attempt === undefined) return;
  await tx.orchestrationAttempts.update(attempt.id, { state, reason, endedAt: deps.now().toISOString() });
}

/** Returns the agents of an orchestration in the order in which they were added. */
export function agentsOf(
  read: Pick<Readers, 'orchestrationAgents'>,
  orchestrationId: string,
): Promise<OrchestrationAgentRow[]> {
  return read.orchestrationAgents.find({ orchestrationId }, { order: ['id'] });
}

/** Stores the number of agents, of completed agents and of failed agents, and the orchestration's progress. */
export async function storeCounts(
  tx: Transaction,
  orchestration: OrchestrationRow,
  agents: readonly OrchestrationAgentRow[],
): Promise<void> {
  await tx.orchestrations.update(orchestration.id, {
    agentCount: agents.length,
    completedAgents: agents.filter(({ state }) => state === 'completed').length,
    failedAgents: agents.filter(({ state }) => state === 'failed').length,
    progress: progressOf(agents, orchestration.progress),
  });
}

/**
 * Ends an orchestration and, if `end.notify` is set, notifies the session that created it. Also ends the tasks of agents
 * that still resolve its conflicts: nobody would integrate their work or check their time limit any more.
 */
export async function endOrchestration(
  tx: Transaction,
  deps: ChangeDeps,
  orchestration: OrchestrationRow,
  end: { state: 'completed' | 'failed' | 'cancelled'; errorMessage: string | null; notify: boolean },
): Promise<void> {
  const { id, createdBySessionId, objective } = orchestration;
  const { state, errorMessage } = end;
  const completedAt = deps.now().toISOString();
  const open = await tx.tasks.find({ sourceKind: 'orchestration', sourceId: id, status: [...OPEN_STATUSES] });
  const summary = `The orchestration ${state === 'cancelled' ? 'was' : 'has'} ${state}.`;
  for (const task of open) {
    await finishTask(tx, deps, task.id, { status: 'cancelled', source: 'system', certain: true, summary });
  }
  await tx.orchestrations.update(id, { state, errorMessage, completedAt, pausedBy: null, pausedAt: null });
  if (state === 'failed') await recordEvent(tx, id, 'orchestration.failed', { errorMessage });
  else await recordEvent(tx, id, `orchestration.${state}`, {});
  const ended = await tx.orchestrations.get(id);
  if (ended !== undefined) await releaseEnded(tx, deps, ended);
  if (createdBySessionId === null || !end.notify) return;
  await addNotice(tx, deps, {
    kind: 'ended',
    sessionId: createdBySessionId,
    aboutSessionId: createdBySessionId,
    aboutOrchestrationId: id,
    title: objective.split('\n', 1)[0]?.slice(0, 80) ?? '',
    status: state,
    outcomeSource: 'system',
    certain: true,
    summary: summaryOf(await agentsOf(tx, id), errorMessage),
    typed: true,
  });
}

function summaryOf(agents: readonly OrchestrationAgentRow[], errorMessage: string | null): string {
  const completed = agents.filter(({ state }) => state === 'completed').length;
  const lines = agents.map(({ agentId, state, branch, summary, errorMessage: error, reason }) => {
    const result = summary ?? error ?? reason;
    const onBranch = branch === null ? '' : ` on branch ${branch}`;
    return `${agentId}: ${state}${onBranch}${result === null ? '' : `: ${result}`}`;
  });
  const error = errorMessage === null ? [] : [errorMessage];
  return [`${completed} of ${agents.length} agents completed.`, ...error, ...lines].join('\n');
}
