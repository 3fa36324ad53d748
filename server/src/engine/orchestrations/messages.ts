import type { InboxMessage, OrchestrationFiles } from '../../ports/orchestration-files.ts';
import type { OrchestrationRow } from '../../ports/rows.ts';
import type { Readers, Storage } from '../../ports/storage.ts';

interface Deps {
  storage: Pick<Storage, 'read'>;
  orchestrationFiles: Pick<OrchestrationFiles, 'staged' | 'deliver' | 'discard'>;
}

/**
 * Delivers the files of messages that a previous server stored but did not deliver. Removes the files of messages that
 * were never stored.
 */
export async function recoverMessages(
  { storage, orchestrationFiles: files }: Deps,
  onError: (error: unknown, noticeId: string) => void,
): Promise<void> {
  for (const noticeId of await files.staged()) {
    try {
      const stored = await storedMessage(storage.read, noticeId);
      if (stored === undefined) await files.discard(noticeId);
      else await files.deliver(stored.orchestration, stored.to, stored);
    } catch (error) {
      onError(error, noticeId);
    }
  }
}

/**
 * Returns the stored message, its orchestration, and the agent that receives the message; undefined if one of these is
 * not stored.
 */
async function storedMessage(
  read: Readers,
  noticeId: string,
): Promise<(InboxMessage & { orchestration: OrchestrationRow; to: string }) | undefined> {
  const notice = await read.notices.get(noticeId);
  if (notice === undefined) return undefined;
  const sender = await read.orchestrationAttempts.first({ sessionId: notice.aboutSessionId });
  const receiver = await read.orchestrationAttempts.first({ sessionId: notice.sessionId });
  const orchestration = receiver && (await read.orchestrations.get(receiver.orchestrationId));
  if (sender === undefined || receiver === undefined || orchestration === undefined) return undefined;
  return { noticeId, from: sender.agentId, at: notice.createdAt, orchestration, to: receiver.agentId };
}
