import { ConsoleError } from '@agent-console/shared/errors';
import { isAtRest } from '../../domain/session-mark.ts';
import { holdsBack, OPEN_STATUSES, opensSession } from '../../domain/tasks.ts';
import { queuePrompt } from '../../engine/task-changes.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { TaskRow } from '../../ports/rows/tasks.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import { isPreparing } from '../delegations/preparing.ts';

export type PromptNeeds = Pick<OperationContext, 'now' | 'newId' | 'reconciler'>;

/**
 * Queues a prompt and opens the session for it: a prompt to a session without a live agent starts it, one to a session
 * that a person paused or stopped waits unless a person gave it. In an idle session the prompt is at work when this returns.
 */
export async function givePrompt(
  tx: Transaction,
  needs: PromptNeeds,
  session: SessionRow,
  prompt: Pick<TaskRow, 'prompt' | 'sourceKind' | 'sourceId' | 'notifyOnCompletion'>,
): Promise<{ taskId: string; queuePosition: number | null }> {
  if (session.archivedAt !== null) {
    throw new ConsoleError('CONFLICT', 'This session is archived. Unarchive it first.', { sessionId: session.id });
  }
  const before = await tx.tasks.find({ sessionId: session.id, status: [...OPEN_STATUSES] });
  const busy = before.some((task) => holdsBack(task, prompt));
  const { task, queuePosition } = await queuePrompt(tx, needs, { ...prompt, sessionId: session.id });
  if (opensSession(session, prompt) && !(await isPreparing(tx.delegations, session.id))) {
    const ending = await hasEndingAgent(tx, session);
    await tx.sessions.update(session.id, {
      ...(ending ? { mark: 'paused', pausedBy: 'idle' } : { mark: 'open', pausedBy: null }),
      queueHeld: false,
      updatedAt: needs.now().toISOString(),
    });
    if (session.mark !== 'open' && !ending) {
      await tx.record({ type: 'session.resumed', subject: { kind: 'session', id: session.id }, sessionId: session.id });
    }
  }
  await needs.reconciler.startHead(tx, session.id);
  return { taskId: task.id, queuePosition: busy ? queuePosition : null };
}

/**
 * Whether the session is at rest and its agent is still being ended, which takes seconds. Such an agent must not be
 * given anything: the session stays paused as one that whatever waits in it resumes, and is opened when the process is gone.
 */
async function hasEndingAgent(tx: Transaction, session: SessionRow): Promise<boolean> {
  if (!isAtRest(session)) return false;
  return (
    (await tx.workers.first({ sessionId: session.id, type: 'agent', state: ['starting', 'running'] })) !== undefined
  );
}
