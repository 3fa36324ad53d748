import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { Printed, Progress } from './position.ts';

/**
 * Gives what the agent said its places in the worker's output, so that a reader who goes on from an offset gets each
 * message once: every message has an offset of its own, above all that readers may have been told before (`reached`) and
 * no higher than the output. A message for which there is no room yet waits until the agent has printed more. What was
 * said before this worker began has no place in its output.
 */
export async function placeMessages(
  tx: Transaction,
  session: Pick<SessionRow, 'id'>,
  { row, offset }: Printed,
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
