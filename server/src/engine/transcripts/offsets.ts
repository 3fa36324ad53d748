import type { SessionRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { PrintedOutput, Progress } from './position.ts';

/**
 * Assigns output offsets to agent messages, so that a reader that continues from an offset receives each message once.
 * Each message gets its own offset, higher than all offsets already read (`reached`) and at most the end of the output.
 * If no offset in this range is free, the message waits for more output.
 */
export async function placeMessages(
  tx: Transaction,
  session: Pick<SessionRow, 'id'>,
  { row, offset }: PrintedOutput,
  { reached, unplacedFrom }: Progress,
  firstNew: number,
): Promise<Pick<Progress, 'reached' | 'unplacedFrom'>> {
  const isSameWorker = reached?.workerId === row.id;
  const low = isSameWorker ? reached.offset : 0;
  const high = Math.max(low, offset);
  const from = isSameWorker && unplacedFrom !== null ? unplacedFrom : firstNew;
  const waiting = (
    await tx.messages.find(
      { sessionId: session.id, seq: { above: from - 1 }, role: 'agent', source: 'transcript', logOffset: null },
      { order: ['seq'] },
    )
  ).filter(({ createdAt }) => createdAt >= row.createdAt);
  const placed = waiting.slice(0, high - low);
  for (const [index, message] of placed.entries()) {
    await tx.messages.update(message.id, { logOffset: high - placed.length + 1 + index });
  }
  return { reached: { workerId: row.id, offset: high }, unplacedFrom: waiting[placed.length]?.seq ?? null };
}
