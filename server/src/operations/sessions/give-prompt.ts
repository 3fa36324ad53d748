import { ConsoleError } from '@agent-console/shared/errors';
import { OPEN_STATUSES } from '../../domain/tasks.ts';
import type { SessionRow, TaskRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import { type Pen, queuePrompt } from '../task-changes.ts';

/** Whether the session is still being made by a delegation, which then starts its queue itself. */
async function isPreparing(tx: Transaction, sessionId: string): Promise<boolean> {
  const states = ['requested', 'creating_worktree', 'starting_agent'] as const;
  return (await tx.delegations.count({ sessionId, state: [...states] })) > 0;
}

/** Whether a new prompt has to wait for this one. A task that only owes its report ends for a person or its source. */
function holdsBack(task: TaskRow, prompt: Pick<TaskRow, 'sourceKind' | 'sourceId'>): boolean {
  if (task.waitingFor !== 'report') return true;
  return prompt.sourceKind !== 'person' && prompt.sourceId !== task.sourceId;
}

/**
 * Queues a prompt and opens the session for it: a prompt to a session without a live agent starts it, one to a session
 * that a person paused or stopped waits unless a person gave it.
 */
export async function givePrompt(
  tx: Transaction,
  pen: Pen,
  session: SessionRow,
  prompt: Pick<TaskRow, 'prompt' | 'sourceKind' | 'sourceId' | 'notifyOnCompletion'>,
): Promise<{ taskId: string; queuePosition: number | null }> {
  if (session.archivedAt !== null) {
    throw new ConsoleError('CONFLICT', 'This session is archived. Unarchive it first.', { sessionId: session.id });
  }
  const before = await tx.tasks.find({ sessionId: session.id, status: [...OPEN_STATUSES] });
  const busy = before.some((task) => holdsBack(task, prompt));
  const { task, queuePosition } = await queuePrompt(tx, pen, { ...prompt, sessionId: session.id });
  const held = session.mark === 'paused' && session.pausedBy === 'person';
  const opens = session.mark !== 'open' && session.mark !== 'stopped' && !held;
  const preparing = await isPreparing(tx, session.id);
  if (!preparing && (session.mark === 'open' || opens || prompt.sourceKind === 'person')) {
    await tx.sessions.update(session.id, {
      mark: 'open',
      pausedBy: null,
      queueHeld: false,
      updatedAt: pen.now().toISOString(),
    });
    if (session.mark !== 'open') {
      await tx.record({ type: 'session.resumed', subject: { kind: 'session', id: session.id }, sessionId: session.id });
    }
  }
  return { taskId: task.id, queuePosition: busy ? queuePosition : null };
}
