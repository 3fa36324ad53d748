import type { SessionRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';

/** Returns the id of the conversation that a fork without a conversation of its own is to copy, else null. */
export async function forkedConversation(
  read: Pick<Readers, 'sessions'>,
  session: SessionRow | undefined,
): Promise<string | null> {
  if (session === undefined || session.nativeId !== null || session.forkedFromSessionId === null) return null;
  return (await read.sessions.get(session.forkedFromSessionId))?.nativeId ?? null;
}

/** Whether the newest agent of a session can copy its conversation over a protocol. */
export async function canForkByProtocol(read: Pick<Readers, 'workers'>, sessionId: string): Promise<boolean> {
  const worker = await read.workers.first({ sessionId, type: 'agent' }, { order: ['-id'] });
  return worker?.protocol?.capabilities?.forkSession === true;
}
