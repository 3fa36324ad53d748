import type { TranscriptRow, WorkerRow } from '../../ports/rows.ts';
import type { TranscriptPosition, TurnEnd } from '../../ports/transcripts.ts';

/** The turn being read. Agent messages belong to the task of the preceding prompt. */
export interface RecordedTurn {
  /** The agent's own id of the prompt; empty before the first prompt. */
  nativeId: string;
  taskId: string | null;
  /** Input id of the prompt; null if a person typed it, and in rows of older versions. */
  inputId?: string | null;
  /** Null while the turn continues, or if its end is not recorded. */
  end?: TurnEnd | null;
}

/** A session's newest agent worker, and its output offset taken before the conversation was read. */
export interface PrintedOutput {
  row: WorkerRow;
  offset: number;
}

/** State kept between two scans of a conversation. */
export interface Progress {
  reader: TranscriptPosition;
  turn: RecordedTurn;
  /** Output offset of the worker up to which all messages are stored. No stored message has a higher offset. */
  reached: { workerId: string; offset: number } | null;
  /** Sequence number of the first message that may still wait for an offset. */
  unplacedFrom: number | null;
  /** Forks only: number of copied messages stored. */
  copied: number;
  /** Forks only: whether a message written after the fork has been ingested. */
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
 * Returns the progress of a conversation. A different conversation of the session is read from its beginning, but its
 * messages get offsets after those already returned to readers.
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

/** Returns the offset up to which a reader of this worker's output can receive all messages; null if unknown. */
export function reachedOffset(row: TranscriptRow | undefined, workerId: string): number | null {
  const { reached } = (row?.place ?? {}) as Partial<Progress>;
  return reached?.workerId === workerId ? reached.offset : null;
}
