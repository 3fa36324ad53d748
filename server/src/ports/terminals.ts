import type { Worker } from '@agent-console/shared/models/worker';
import type { Caller } from '../domain/caller.ts';

/** A worker's terminal as the data plane reaches it; rights are decided here, bytes flow outside. */
export interface Terminals {
  /** NOT_FOUND, PERMISSION_DENIED or UNAUTHENTICATED when this caller may not look; `canType` only for people. */
  open(caller: Caller, sessionId: string, workerId: string): Promise<{ worker: Worker; canType: boolean }>;
  /** Keyboard input of a person: typed once per `inputId`, and remembered as an unfinished line where it is one. */
  type(workerId: string, inputId: string, data: Buffer): Promise<void>;
  resize(workerId: string, cols: number, rows: number): Promise<void>;
}

/** One viewer of a worker's output. */
export interface OutputViewer {
  /**
   * Output in order, from `offset` on. The buffer is only lent: copy what is kept. Answers false when the viewer cannot
   * take more now; it is served again after `acked` or `drained`.
   */
  onData(offset: number, data: Buffer): boolean;
  /** Older output was skipped because it is no longer stored or the viewer was too slow: it starts again at `offset`. */
  onSnapshot(snapshot: { offset: number; cols: number; rows: number; data: string }): void;
  onResized(event: { offset: number; cols: number; rows: number }): void;
  /** Called once, after the last byte. */
  onExit(exit: { offset: number; exitCode: number | null; signal: string | null }): void;
  /** The output can no longer be read; nothing follows. Viewing again from the last offset may work. */
  onFailed(error: unknown): void;
}

/** A viewer's own end of its stream. */
export interface OutputView {
  /** Everything below `offset` is shown. */
  acked(offset: number): void;
  /** The viewer that answered false can take more. */
  drained(): void;
  close(): void;
}

/** Code on our side that reads everything. */
export interface OutputFollower {
  /** Output in order, from `offset` on; a gap only where it is no longer stored. The buffer is only lent. */
  onData(offset: number, data: Buffer): void;
  onExit(exit: { offset: number; exitCode: number | null; signal: string | null }): void;
  onResized(event: { offset: number; cols: number; rows: number }): void;
  /** The output can no longer be read; nothing follows. */
  onFailed?(error: unknown): void;
}

/** Fans the output of each worker out to its viewers. */
export interface OutputStreams {
  /**
   * Starts a viewer at `fromOffset` with the size there, or with a snapshot at the tail when undefined. At most STREAM_WINDOW_BYTES travel
   * beyond what the viewer acknowledged; one that lags far and is silent gets a fresh snapshot instead.
   */
  view(workerId: string, fromOffset: number | undefined, viewer: OutputViewer): OutputView;
  /** Reads everything from `fromOffset` on, in order, whatever its size; for code that keeps up by itself. */
  follow(workerId: string, fromOffset: number, reader: OutputFollower): { close(): void };
  /** Newest known size of a worker's log in bytes; undefined while nobody looks. */
  offset(workerId: string): number | undefined;
}
