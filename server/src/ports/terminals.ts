import type { Worker } from '@agent-console/shared/models/worker';
import type { Caller } from '../domain/caller.ts';

/**
 * Access to a worker's terminal. Only permissions, keys and the size are handled here; `OutputStreams` delivers the
 * output.
 */
export interface Terminals {
  /**
   * Opens a worker's terminal. @throws NOT_FOUND, PERMISSION_DENIED or UNAUTHENTICATED if this caller may not read it.
   */
  open(caller: Caller, sessionId: string, workerId: string): Promise<{ worker: Worker; canType: boolean }>;
  /** Types keyboard input of a user, once per `inputId`. Records whether the input leaves an unsubmitted line. */
  type(workerId: string, inputId: string, data: Buffer): Promise<void>;
  resize(workerId: string, cols: number, rows: number): Promise<void>;
}

/** One viewer of a worker's output. */
export interface OutputViewer {
  /**
   * Receives output in order, from `offset` on. The buffer may be reused after the call, so copy retained data. Returns
   * false if the viewer can accept no more for now. Delivery continues after `acked` or `drained`.
   */
  onData(offset: number, data: Buffer): boolean;
  /**
   * Called if output was skipped, because it is no longer stored or the viewer was too slow. `data` draws the terminal
   * as it was at `offset`, where the output then continues.
   */
  onSnapshot(snapshot: { offset: number; cols: number; rows: number; data: string }): void;
  onResized(event: { offset: number; cols: number; rows: number }): void;
  /** Called once, after the last byte. */
  onExit(exit: { offset: number; exitCode: number | null; signal: string | null }): void;
  /** Called if the output can no longer be read. No further call follows. A new view from the last offset may work. */
  onFailed(error: unknown): void;
}

/** Lets a viewer control the stream of output that it receives. */
export interface OutputView {
  /** Acknowledges that all output below `offset` was displayed. */
  acked(offset: number): void;
  /** Reports that the viewer can accept output again. */
  drained(): void;
  close(): void;
}

/** Code of the server that reads all output of a worker. */
export interface OutputFollower {
  /**
   * Receives output in order. A gap between offsets means that the output there is no longer stored. The buffer may be
   * reused after the call.
   */
  onData(offset: number, data: Buffer): void;
  onExit(exit: { offset: number; exitCode: number | null; signal: string | null }): void;
  onResized(event: { offset: number; cols: number; rows: number }): void;
  /** Called if the output can no longer be read. No further call follows. */
  onFailed?(error: unknown): void;
}

/** Distributes the output of each worker to its readers. */
export interface OutputStreams {
  /**
   * Starts a viewer at `fromOffset` with the size that the terminal had there. If `fromOffset` is undefined, starts
   * with a snapshot at the end of the log. At most STREAM_WINDOW_BYTES are sent before they are acknowledged; a viewer
   * that lags gets a new snapshot.
   */
  view(workerId: string, fromOffset: number | undefined, viewer: OutputViewer): OutputView;
  /**
   * Reads all output from `fromOffset` on, in order. At most `windowBytes` are delivered before they are acknowledged.
   * Without `windowBytes` there is no flow control, for code that handles output at once.
   */
  follow(
    workerId: string,
    fromOffset: number,
    reader: OutputFollower,
    windowBytes?: number,
  ): Pick<OutputView, 'acked' | 'close'>;
  /** Returns the latest known size of a worker's log in bytes; undefined while nothing reads the log. */
  offset(workerId: string): number | undefined;
}
