import type { InboxContext } from './inbox.ts';
import type { InboxItem } from './models/inbox.ts';
import type { Orchestration } from './models/orchestration.ts';

/** What the inbox needs to know about an orchestration. */
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

/** Returns the orchestration's item in the inbox, or undefined if it needs nobody and its outcome was read. */
export function inboxItemOfOrchestration(
  orchestration: InboxOrchestration,
  { approval, readUntil }: Omit<InboxContext, 'held'>,
): InboxItem | undefined {
  const { id, objective, state, pausedBy, pausedAt, completedAt, repositoryId } = orchestration;
  const about = {
    sessionId: null,
    orchestrationId: id,
    title: objective,
    repositoryId,
    branch: null,
    agentId: null,
    taskId: null,
    approvalId: approval?.id ?? null,
  };
  if (state === 'paused' && pausedBy === 'budget') {
    const since = approval?.createdAt ?? pausedAt ?? '';
    const text = approval?.text ?? 'Its budget is used up. Allow more, or cancel it.';
    return { ...about, group: 'answer', kind: 'budget', since, text };
  }
  // The session that created an orchestration is notified of its end.
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
