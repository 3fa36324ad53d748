import type { InboxContext } from './inbox.ts';
import type { InboxItem } from './models/inbox.ts';
import type { Orchestration } from './models/orchestration.ts';

/** The fields of an orchestration that the inbox uses. */
export type InboxOrchestration = Pick<
  Orchestration,
  | 'id'
  | 'objective'
  | 'state'
  | 'pausedBy'
  | 'pausedAt'
  | 'completedAt'
  | 'errorMessage'
  | 'agentCount'
  | 'completedAgents'
  | 'repositoryId'
  | 'createdBySessionId'
>;

/**
 * Returns the orchestration's item in the inbox. Undefined if the orchestration does not need a person and has no
 * unread outcome.
 */
export function inboxItemOfOrchestration(
  orchestration: InboxOrchestration,
  { approval, readUntil }: InboxContext,
): InboxItem | undefined {
  const { id, objective, state, pausedBy, pausedAt, completedAt, repositoryId } = orchestration;
  const about = {
    sessionId: null,
    orchestrationId: id,
    title: objective.split('\n').find((line) => line.trim() !== '') ?? objective,
    repositoryId,
    branch: null,
    agentId: null,
    taskId: null,
    approvalId: approval?.id ?? null,
  };
  if (state === 'paused' && pausedBy === 'budget') {
    const since = approval?.createdAt ?? pausedAt ?? '';
    const text = approval?.text ?? 'The budget of the run is used up. Raise the budget or cancel the run.';
    return { ...about, group: 'answer', kind: 'budget', since, text };
  }
  // The end of an orchestration that a session created needs no inbox item, because that session is notified of it.
  if (orchestration.createdBySessionId !== null) return undefined;
  if (completedAt === null || (readUntil !== null && completedAt <= readUntil)) return undefined;
  if (state === 'failed') {
    const text = orchestration.errorMessage ?? 'The run failed';
    return { ...about, group: 'failed', kind: 'failed', since: completedAt, text };
  }
  if (state !== 'completed') return undefined;
  const text = `${orchestration.completedAgents} of ${orchestration.agentCount} agents completed`;
  return { ...about, group: 'finished', kind: 'done', since: completedAt, text };
}
