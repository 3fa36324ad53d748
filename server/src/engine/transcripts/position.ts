import type { TranscriptRow } from '../../ports/rows/messages.ts';
import type { WorkerRow } from '../../ports/rows/workers.ts';
import type { TranscriptPosition, TurnEnd } from '../../ports/transcripts.ts';

/** The turn that is being told: what an agent says belongs to the task of the prompt before it. */
export interface RecordedTurn {
  /** The agent's own id of the prompt; empty before the first one. */
  nativeId: string;
  taskId: string | null;
  /** The input that the prompt was; null for one that a person typed, and in rows of older versions. */
  inputId?: string | null;
  /** Null while it goes on, or where the record does not tell. */
  end?: TurnEnd | null;
}

/** A session's newest agent worker, and where its output stood before its conversation was read. */
export interface Printed {
  row: WorkerRow;
  offset: number;
}

/** What is remembered between two looks at a conversation. */
export interface Progress {
  reader: TranscriptPosition;
  turn: RecordedTurn;
  /** Everything that was said before the worker's output reached this offset is stored, with offsets up to it. */
  reached: { workerId: string; offset: number } | null;
  /** Messages from this number on may still wait for an offset. */
  unplacedFrom: number | null;
  /** Of a fork: how many messages of the conversation it was forked from are stored. */
  copied: number;
  /** Of a fork: whether anything was told yet that was said in it. */
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
 * How far a conversation was taken in. Another conversation of the session is read from its beginning, but its messages
 * get their offsets behind those that readers were told of before.
 */
export function progressOf(row: TranscriptRow | undefined, nativeId: string): Progress {
  if (row === undefined) return BEGINNING;
  const stored: Progress = { ...BEGINNING, ...(row.place as Partial<Progress>) };
  if (row.nativeId === nativeId) return stored;
  return { ...BEGINNING, reached: stored.reached, unplacedFrom: stored.unplacedFrom };
}

/** How the turn of an input ended, by what was taken in of the agent's record; null where that does not tell. */
export function recordedEnd(row: TranscriptRow | undefined, inputId: string): TurnEnd | null {
  const { turn } = (row?.place ?? {}) as Partial<Progress>;
  return turn?.inputId === inputId ? (turn.end ?? null) : null;
}

/** The offset up to which a reader of this worker's output can be told everything that was said; null where none is known. */
export function reachedOffset(row: TranscriptRow | undefined, workerId: string): number | null {
  const { reached } = (row?.place ?? {}) as Partial<Progress>;
  return reached?.workerId === workerId ? reached.offset : null;
}
