import { setImmediate } from 'node:timers/promises';
import type { AgentKind } from '../../ports/agents.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Readers, Transaction } from '../../ports/storage.ts';
import { reportedFeatures } from '../agents/features.ts';

/**
 * Returns the id of the conversation that a fork will copy. Null if the session is not a fork or already has its own
 * conversation, or if the conversation of its original is not known.
 */
export async function forkedConversation(
  read: Pick<Readers, 'sessions'>,
  session: SessionRow | undefined,
): Promise<string | null> {
  if (session === undefined || session.nativeId !== null || session.forkedFromSessionId === null) return null;
  return (await read.sessions.get(session.forkedFromSessionId))?.nativeId ?? null;
}

/**
 * Whether the agent of a session can copy its conversation. An agent driven over ACP reports at its start whether it
 * can.
 */
export async function canFork(
  read: Pick<Readers, 'meta' | 'workers'>,
  { driver, supportsFork }: Pick<AgentKind, 'driver' | 'supportsFork'>,
  session: Pick<SessionRow, 'id' | 'agentId'>,
): Promise<boolean> {
  if (driver !== 'acp') return supportsFork;
  const reported = await reportedFeatures(read, session.agentId);
  if (reported !== null) return reported.fork;
  // Earlier builds stored the reported features only with the worker.
  const worker = await read.workers.first({ sessionId: session.id, type: 'agent' }, { order: ['-id'] });
  return worker?.protocol?.capabilities?.forkSession === true;
}

/** Number of messages that are copied before the server can do other work. Copying 200 messages takes about 25 ms. */
const COPIED_AT_ONCE = 200;

/**
 * Copies the messages of a conversation to a fork, except those from the running task on. The agent of the fork does
 * not send these messages when it opens its copy of the conversation.
 */
export async function copyConversation(
  tx: Transaction,
  { newId }: { newId: () => string },
  fromSessionId: string,
  sessionId: string,
  runningTaskId: string | undefined,
): Promise<void> {
  const unfinished =
    runningTaskId === undefined
      ? undefined
      : await tx.messages.first({ sessionId: fromSessionId, taskId: runningTaskId }, { order: ['seq'] });
  const last = unfinished === undefined ? Number.MAX_SAFE_INTEGER : unfinished.seq - 1;
  let copied = 0;
  for (let after = 0; ; ) {
    const seq = { above: after, below: last + 1 };
    const messages = await tx.messages.find(
      { sessionId: fromSessionId, seq },
      { order: ['seq'], limit: COPIED_AT_ONCE },
    );
    // A copied message belongs to no task of the fork. It has no `nativeId`, because the agent sends no updates for it.
    for (const { revision: _, ...row } of messages) {
      copied += 1;
      after = row.seq;
      await tx.messages.insert({
        ...row,
        id: newId(),
        sessionId,
        taskId: null,
        seq: copied,
        logOffset: null,
        nativeId: null,
      });
    }
    if (messages.length < COPIED_AT_ONCE) break;
    // Lets the server do other work. Other transactions still wait, because the whole copy is one transaction.
    await setImmediate();
  }
  await tx.sessions.update(sessionId, { messageCount: copied });
}
