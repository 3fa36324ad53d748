import { ConsoleError } from '@agent-console/shared/errors';
import type { Readers } from '../ports/storage.ts';

type Read = Pick<Readers, 'events'>;

/** Maximum recovery refs of earlier discards that an error names. */
const EARLIER_NAMED_MAX = 5;

interface RecordedDiscard {
  recoveryRef: string;
  /** False if the discard failed, or if a crash interrupted it. It may have changed no file, or only some. */
  isComplete: boolean;
}

/** Returns the discards of changes of a worktree, newest first, without those that were refused. */
async function* discardsOf(read: Read, worktreeId: string): AsyncGenerator<RecordedDiscard> {
  const type = ['worktree.discard_started', 'worktree.discard_refused', 'worktree.discarded'] as const;
  const ends = new Map<string, string>();
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const where = { subjectId: worktreeId, type, seq: { below: before } };
    const event = await read.events.first(where, { order: ['-seq'] });
    if (event === undefined) break;
    before = event.seq;
    const { recoveryRef } = event.data;
    if (typeof recoveryRef !== 'string') continue;
    if (event.type !== 'worktree.discard_started') {
      ends.set(recoveryRef, event.type);
      continue;
    }
    const end = ends.get(recoveryRef);
    ends.delete(recoveryRef);
    if (end !== 'worktree.discard_refused') yield { recoveryRef, isComplete: end !== undefined };
  }
  // Earlier versions recorded no event at the start of a discard, only one at its end.
  for (const [recoveryRef, end] of ends) if (end === 'worktree.discarded') yield { recoveryRef, isComplete: true };
}

/**
 * Returns the recovery ref with the changes of a worktree that were discarded last, even if the discard failed or a
 * crash interrupted it. @throws NOT_FOUND if there is none.
 */
export async function lastDiscarded(read: Read, worktreeId: string): Promise<string> {
  for await (const { recoveryRef } of discardsOf(read, worktreeId)) return recoveryRef;
  throw new ConsoleError(
    'NOT_FOUND',
    'No discard of changes of this worktree is recorded, so there is nothing to bring back.',
    { worktreeId },
  );
}

/**
 * Returns the error of an undo of the last discard. The message also names the recovery refs of earlier discards that
 * may still have changes to bring back: those that were not completed, because the discards after them did not save
 * what they had already discarded, and the one before a discard that may have changed no file.
 */
export async function withEarlierDiscard(read: Read, worktreeId: string, error: unknown): Promise<unknown> {
  if (!(error instanceof ConsoleError) || error.code !== 'CONFLICT') return error;
  const discards = discardsOf(read, worktreeId);
  const last = (await discards.next()).value;
  if (last === undefined || error.details.recoveryRef !== last.recoveryRef) return error;
  const earlier: string[] = [];
  let after: RecordedDiscard = last;
  for await (const each of discards) {
    if ((after.isComplete && each.isComplete) || earlier.length === EARLIER_NAMED_MAX) break;
    earlier.push(each.recoveryRef);
    after = each;
  }
  if (earlier.length === 0) return error;
  const why = last.isComplete
    ? 'The discard before it was not completed.'
    : 'The last discard was not completed, and may have discarded nothing.';
  const advice = `To bring back the changes of an earlier discard, pass ${earlier.join(' or ')} as \`recoveryRef\`.`;
  return new ConsoleError(error.code, `${error.message} ${why} ${advice}`, error.details, { cause: error });
}
