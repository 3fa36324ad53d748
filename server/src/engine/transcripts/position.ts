import type { TranscriptRow, WorkerRow } from '../../ports/rows.ts';
import type { TranscriptPosition, TurnEnd } from '../../ports/transcripts.ts';

/**
 * The last turn that was read from the transcript. The agent's messages after the turn's prompt belong to the task
 * `taskId`.
 */
export interface RecordedTurn {
  /** The agent's own id of the prompt; empty before the first prompt. */
  nativeId: string;
  taskId: string | null;
  /**
   * Id of the input with which the console typed the prompt. Null if a person typed the prompt, and in rows of older
   * versions.
   */
  inputId?: string | null;
  /** The end of the turn; null while the turn continues, or if the transcript contains no end. */
  end?: TurnEnd | null;
}

/** A session's newest agent worker, and where its output ended just before the session's transcript was read. */
export interface PrintedOutput {
  row: WorkerRow;
  offset: number;
}

/** How far a conversation has been read. Stored after each scan. */
export interface Progress {
  reader: TranscriptPosition;
  turn: RecordedTurn;
  /** The worker's output offset up to which all messages are stored. No stored message has a higher offset. */
  reached: { workerId: string; offset: number } | null;
  /** Sequence number of the first message to which `placeMessages` may not have assigned an output offset yet. */
  unplacedFrom: number | null;
  /** Forks only: number of copied messages stored. */
  copied: number;
  /** Forks only: whether a message that was written after the fork is stored. */
  own: boolean;
}

const BEGINNING: Progress = {
  reader: {},
  turn: { nativeId: '', taskId: null },
  reached: null,
  unplacedFrom: null,
  copied: 0,
  own: false,
};

/**
 * Returns the progress of a conversation. If the session changed to this conversation, reading starts at its beginning,
 * but its messages get offsets higher than all offsets that readers have already received.
 */
export function progressOf(row: TranscriptRow | undefined, nativeId: string): Progress {
  if (row === undefined) return BEGINNING;
  const stored: Progress = { ...BEGINNING, ...(row.place as Partial<Progress>) };
  if (row.nativeId === nativeId) return stored;
  return { ...BEGINNING, reached: stored.reached, unplacedFrom: stored.unplacedFrom };
}

/** Returns how the turn of an input ended according to the ingested transcript; null if it is not recorded. */
export function recordedEnd(row: TranscriptRow | undefined, inputId: string): TurnEnd | null {
  const { turn } = (row?.place ?? {}) as Partial<Progress>;
  return turn?.inputId === inputId ? (turn.end ?? null) : null;
}

/** Returns the offset in this worker's output up to which all messages are stored; null if it is unknown. */
export function reachedOffset(row: TranscriptRow | undefined, workerId: string): number | null {
  const { reached } = (row?.place ?? {}) as Partial<Progress>;
  return reached?.workerId === workerId ? reached.offset : null;
}
