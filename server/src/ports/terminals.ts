import type { Worker } from '@agent-console/shared/models/worker';
import type { Caller } from '../domain/caller.ts';

/** Access to a worker's terminal: permissions, keys and the size. The output is delivered by `OutputStreams`. */
export interface Terminals {
  /**
   * Opens a worker's terminal. @throws NOT_FOUND, PERMISSION_DENIED or UNAUTHENTICATED if this caller may not read it;
   * UNSUPPORTED for a worker without a terminal.
   */
  open(caller: Caller, sessionId: string, workerId: string): Promise<{ worker: Worker; canType: boolean }>;
  /**
   * Types keyboard input of a user, once per `inputId`. Records whether this leaves unsubmitted text in the input line.
   */
  type(workerId: string, inputId: string, data: Buffer): Promise<void>;
  resize(workerId: string, cols: number, rows: number): Promise<void>;
}

/** One viewer of a worker's output. */
export interface OutputViewer {
  /**
   * Receives output in order, beginning at `offset`. The buffer may be reused after the call, so retained data must be
   * copied. Returns false if the viewer can accept no more output for now. Delivery continues after a call of `acked`
   * or `drained`.
   */
  onData(offset: number, data: Buffer): boolean;
  /**
   * Called if the view begins with a snapshot, and if output was skipped because it is no longer stored or the viewer
   * was too slow. `data` draws the state of the terminal at `offset`; the output continues from there.
   */
  onSnapshot(snapshot: { offset: number; cols: number; rows: number; data: string }): void;
  onResized(event: { offset: number; cols: number; rows: number }): void;
  /** Called once when the process has ended, after all of its output. */
  onExit(exit: { offset: number; exitCode: number | null; signal: string | null }): void;
  /**
   * Called if the output can no longer be read. No further call follows. The viewer may try to open another view at the
   * offset after the last output that it received.
   */
  onFailed(error: unknown): void;
}

/** Lets a viewer control the stream of output that it receives. */
export interface OutputView {
  /** Acknowledges that all output below `offset` was displayed. */
  acked(offset: number): void;
  /** Reports that the viewer can accept output again, after `onData` returned false. */
  drained(): void;
  close(): void;
}

/** A part of the server that reads all output of a worker. */
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
   * Starts sending output to a viewer, beginning at `fromOffset` with the terminal size at that offset. If `fromOffset`
   * is undefined, starts with a snapshot at the end of the log. At most STREAM_WINDOW_BYTES of unacknowledged output
   * are sent. A viewer that falls behind gets a new snapshot.
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
