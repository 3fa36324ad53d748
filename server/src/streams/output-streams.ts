import {
  STREAM_BLOCK_BYTES,
  STREAM_WINDOW_BYTES,
  VIEWER_LAG_BYTES,
  VIEWER_SILENT_MS,
} from '@agent-console/shared/limits/streams';
import type { Runner } from '../ports/runner.ts';
import type { OutputFollower, OutputStreams, OutputView, OutputViewer } from '../ports/terminals.ts';
import type { ReaderBounds, Resize, Snapshot } from './cursor.ts';
import { WorkerStream } from './worker-stream.ts';

export interface OutputStreamsOptions {
  /**
   * Returns the snapshot with which a viewer starts. Its offset may be before `tail`, the end of the log. Default: an
   * empty snapshot at the end of the log.
   */
  snapshotOf?(workerId: string, tail: Resize): Promise<Snapshot>;
  /**
   * Resolves when a worker is no longer starting: its process was started, or its start has failed. Default: resolves
   * immediately.
   */
  startSettled?(workerId: string): Promise<void>;
  /** Returns milliseconds on a monotonic clock. */
  now?(): number;
  /** Values that replace some of the default limits of viewers. */
  bounds?: Partial<ReaderBounds>;
}

/**
 * Creates the streams that distribute the output of each worker to its readers. Each watched worker has one
 * subscription at the runner.
 */
export function createOutputStreams(runner: Runner, options: OutputStreamsOptions = {}): OutputStreams {
  const snapshotOf = options.snapshotOf ?? (async (_workerId, tail) => ({ ...tail, data: '' }));
  const startSettled = options.startSettled ?? (async () => {});
  const now = options.now ?? (() => performance.now());
  const viewerBounds: ReaderBounds = {
    readsAll: false,
    windowBytes: STREAM_WINDOW_BYTES,
    lagBytes: VIEWER_LAG_BYTES,
    silentMs: VIEWER_SILENT_MS,
    blockBytes: STREAM_BLOCK_BYTES,
    ...options.bounds,
  };
  const streams = new Map<string, WorkerStream>();

  runner.onGone(() => {
    for (const stream of [...streams.values()]) void stream.runnerGone();
  });

  function attach(workerId: string, fromOffset: number | undefined, sink: OutputViewer, bounds: ReaderBounds) {
    let stream = streams.get(workerId);
    if (stream === undefined) {
      const created: WorkerStream = new WorkerStream({
        runner,
        workerId,
        snapshotOf,
        startSettled,
        now,
        onEmpty: () => {
          if (streams.get(workerId) === created) streams.delete(workerId);
        },
      });
      stream = created;
      streams.set(workerId, stream);
    }
    return stream.attach(fromOffset, sink, bounds);
  }

  return {
    view(workerId, fromOffset, viewer): OutputView {
      const cursor = attach(workerId, fromOffset, viewer, viewerBounds);
      return {
        acked: (offset) => cursor.acked(offset),
        drained: () => cursor.drained(),
        close: () => cursor.close(),
      };
    },

    follow(workerId, fromOffset, reader, windowBytes = Number.POSITIVE_INFINITY) {
      const bounds = { ...viewerBounds, readsAll: true, windowBytes };
      const cursor = attach(workerId, fromOffset, followerSink(reader), bounds);
      return { acked: (offset) => cursor.acked(offset), close: () => cursor.close() };
    },

    offset: (workerId) => streams.get(workerId)?.tail,
  };
}

function followerSink(reader: OutputFollower): OutputViewer {
  return {
    onData(offset, data) {
      reader.onData(offset, data);
      return true;
    },
    // Snapshots are ignored, because followers need only output.
    onSnapshot() {},
    onResized: (event) => reader.onResized(event),
    onExit: (exit) => reader.onExit(exit),
    onFailed: (error) => reader.onFailed?.(error),
  };
}
