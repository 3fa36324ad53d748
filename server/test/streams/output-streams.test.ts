import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SpawnSpec } from '../../src/ports/runner.ts';
import type { OutputStreams } from '../../src/ports/terminals.ts';
import { createOutputStreams } from '../../src/streams/output-streams.ts';
import { cat } from '../support/memory-runner/programs.ts';
import { createMemoryRunner } from '../support/memory-runner/runner.ts';
import { FileRunner } from './file-runner.ts';
import { Recorder, until } from './recorder.ts';

const WINDOW = 10_000;
const LAG = 40_000;
const SILENT = 2_000;

let runner: FileRunner;
let streams: OutputStreams;
let clock: number;

beforeEach(async () => {
  runner = await FileRunner.create();
  clock = 0;
  streams = createOutputStreams(runner, {
    now: () => clock,
    bounds: { windowBytes: WINDOW, lagBytes: LAG, silentMs: SILENT, blockBytes: 3_000 },
  });
});

afterEach(() => runner.dispose());

const recorder = () => new Recorder(streams, runner.workerId);
/** Acknowledges all output that arrives, until this offset is reached. */
const readTo = (viewer: Recorder, offset: number) =>
  until(() => {
    viewer.ack();
    return viewer.next === offset;
  });

/**
 * Prints this many bytes. Returns two viewers: `stalled`, which has acknowledged none of them, and `healthy`, which has
 * acknowledged all of them.
 */
async function stalledBesideHealthy(bytes: number) {
  const stalled = recorder();
  const healthy = recorder();
  stalled.start(0);
  healthy.start(0);
  runner.print(bytes);
  await readTo(healthy, bytes);
  return { stalled, healthy };
}

describe('a viewer', () => {
  test('without an offset starts with a snapshot at the end of the output, and then gets new output', async () => {
    runner.print(5_000);
    const viewer = recorder();
    viewer.start(undefined);
    await until(() => viewer.next === 5_000);
    expect(viewer.snapshots).toEqual([5_000]);
    expect(viewer.size).toEqual({ cols: 100, rows: 30 });
    runner.print(100);
    await until(() => viewer.next === 5_100);
  });

  test('with an offset gets exactly the output after it, without a snapshot', async () => {
    runner.print(5_000);
    const viewer = recorder();
    viewer.start(1_234);
    await until(() => viewer.next === 5_000);
    expect(viewer.snapshots).toEqual([]);
    expect(viewer.size).toEqual({ cols: 100, rows: 30 });
  });

  test('with an offset beyond the end of the output starts with a snapshot at the end', async () => {
    runner.print(50);
    const viewer = recorder();
    viewer.start(undefined);
    await until(() => viewer.next === 50);
    const ahead = recorder();
    ahead.start(999);
    ahead.next = undefined;
    await until(() => ahead.snapshots.length === 1);
    expect(ahead.snapshots).toEqual([50]);
  });

  test('that acknowledges nothing is sent one window and no more', async () => {
    const { stalled, healthy } = await stalledBesideHealthy(200_000);
    expect(stalled.next).toBe(WINDOW);
    expect(stalled.largestUnacked).toBe(WINDOW);
    expect(healthy.snapshots).toEqual([]);
  });

  test('that lags far and acknowledged nothing for long continues with a snapshot at the end', async () => {
    const { stalled } = await stalledBesideHealthy(200_000);
    clock = SILENT + 1;
    stalled.ack();
    await until(() => stalled.next === 200_000);
    expect(stalled.snapshots).toEqual([200_000]);
  });

  test('that lags far, but not for long, gets every byte', async () => {
    const { stalled: slow } = await stalledBesideHealthy(200_000);
    clock = SILENT - 1;
    await readTo(slow, 200_000);
    expect(slow.snapshots).toEqual([]);
  });

  test('that had nothing to acknowledge for an hour does not count as stalled', async () => {
    const viewer = recorder();
    viewer.start(0);
    runner.print(100);
    await until(() => viewer.next === 100);
    viewer.ack();
    clock = 3_600_000;
    const healthy = recorder();
    healthy.start(100);
    runner.print(200_000);
    await readTo(healthy, 200_100);
    await readTo(viewer, 200_100);
    expect(viewer.snapshots).toEqual([]);
  });

  test('that reports that it is full gets nothing until it has drained', async () => {
    const viewer = recorder();
    viewer.takes = false;
    viewer.start(0);
    runner.print(500);
    await until(() => viewer.next !== 0);
    const reached = viewer.next;
    const witness = recorder();
    witness.start(undefined);
    runner.print(500);
    await until(() => witness.next === 1_000);
    expect(viewer.next).toBe(reached);
    viewer.drained();
    await until(() => viewer.next === 1_000);
  });

  test('with an offset that is no longer stored starts at the first stored byte', async () => {
    runner.print(9_000);
    runner.dropBelow(4_000);
    const viewer = recorder();
    viewer.start(1_000);
    await until(() => viewer.next === 9_000);
    expect(viewer.snapshots).toEqual([4_000]);
  });

  test('whose next bytes have been dropped continues with a snapshot at the end of the output', async () => {
    const { stalled: viewer } = await stalledBesideHealthy(90_000);
    runner.dropBelow(50_000);
    viewer.ack();
    await until(() => viewer.next === 90_000);
    expect(viewer.snapshots).toEqual([90_000]);
  });

  test('is told each change of the size at its place in the output, even if it starts before the change', async () => {
    runner.print(1_000);
    runner.resizeNow(90, 20);
    runner.print(1_000);
    const late = recorder();
    late.start(undefined);
    await until(() => late.next === 2_000);
    const early = recorder();
    early.start(500);
    await until(() => early.next === 2_000);
    expect(early.size).toEqual({ cols: 90, rows: 20 });
    runner.resizeNow(70, 10);
    await until(() => early.size?.cols === 70 && late.size?.cols === 70);
    expect(runner.subscriptions).toBe(2);
  });

  test('is not told a size twice when another viewer starts before that size', async () => {
    runner.print(1_000);
    const first = recorder();
    const sizes: number[] = [];
    const onResized = first.onResized.bind(first);
    first.onResized = (event) => {
      sizes.push(event.offset);
      onResized(event);
    };
    first.start(undefined);
    await until(() => first.next === 1_000);
    runner.print(500);
    runner.resizeNow(90, 20);
    runner.print(500);
    await until(() => first.next === 2_000);
    const early = recorder();
    early.start(0);
    runner.print(10);
    await until(() => early.next === 2_010 && first.next === 2_010);
    expect(sizes).toEqual([1_500]);
    expect(first.failure).toBeUndefined();
  });

  test('of a worker that has ended reads its output and then its exit', async () => {
    runner.print(30_000);
    runner.exit(3);
    const viewer = recorder();
    viewer.start(0);
    await until(() => {
      viewer.ack();
      return viewer.exit !== undefined;
    });
    expect(viewer.exit).toEqual({ offset: 30_000, exitCode: 3, signal: null });
  });

  test('whose runner ends gets the stored output, and an exit without code or signal', async () => {
    const viewer = recorder();
    viewer.start(0);
    runner.print(100);
    await until(() => viewer.next === 100);
    runner.goAway();
    runner.print(50);
    await until(() => viewer.exit !== undefined);
    expect(viewer.exit).toEqual({ offset: 150, exitCode: null, signal: null });
  });

  test('that throws is dropped, and the others continue', async () => {
    const broken = recorder();
    broken.onData = () => {
      throw new Error('broken');
    };
    const viewer = recorder();
    broken.start(0);
    viewer.start(0);
    runner.print(100);
    await until(() => viewer.next === 100);
    expect(broken.failure).toBeInstanceOf(Error);
  });
});

describe('a follower', () => {
  test('gets everything in order from the oldest stored byte on, despite a stalled viewer', async () => {
    const stalled = recorder();
    stalled.start(0);
    runner.print(2_000_000);
    const pieces: [number, number][] = [];
    let end: number | undefined;
    streams.follow(runner.workerId, 0, {
      onData: (offset, data) => pieces.push([offset, data.length]),
      onResized: () => {},
      onExit: (exit) => {
        end = exit.offset;
      },
    });
    runner.exit(0);
    await until(() => end !== undefined);
    let next = 0;
    for (const [offset, length] of pieces) {
      expect(offset).toBe(next);
      next += length;
    }
    expect(next).toBe(2_000_000);
    expect(stalled.next).toBe(WINDOW);
  });

  test('with a window gets everything, but never more unacknowledged output than the window', async () => {
    runner.print(500_000);
    let next = 0;
    let acked = 0;
    let largest = 0;
    let end: number | undefined;
    const following = streams.follow(
      runner.workerId,
      0,
      {
        onData(offset, data) {
          expect(offset).toBe(next);
          next += data.length;
          largest = Math.max(largest, next - acked);
        },
        onResized: () => {},
        onExit: (exit) => {
          end = exit.offset;
        },
      },
      WINDOW,
    );
    await until(() => next === WINDOW);
    runner.print(100_000);
    runner.exit(0);
    // By now, a viewer that acknowledges nothing would skip output. A follower must get all output.
    clock += 2 * SILENT;
    await until(() => {
      acked = next;
      following.acked(acked);
      return end !== undefined;
    });
    expect([next, end, largest]).toEqual([600_000, 600_000, WINDOW]);
  });
});

test('a worker has one subscription for all its readers, which is closed with the last reader', async () => {
  const [one, two] = [recorder(), recorder()];
  one.start(undefined);
  two.start(undefined);
  await until(() => one.next === 0 && two.next === 0);
  expect(runner.subscriptions).toBe(1);
  runner.print(10);
  await until(() => one.next === 10 && two.next === 10);
  expect(streams.offset(runner.workerId)).toBe(10);
  one.close();
  expect(runner.watched).toBe(true);
  two.close();
  expect(runner.watched).toBe(false);
  expect(streams.offset(runner.workerId)).toBeUndefined();
});

describe('a reader of a worker that is starting', () => {
  const workerId = '01900000-0000-7000-8000-000000000002';
  const spec: SpawnSpec = { workerId, mode: 'pty', file: 'cat', args: [], cwd: '/', env: {}, cols: 90, rows: 20 };

  /**
   * Views and follows the output of a worker that is not started yet. Resolves when the runner has reported that the
   * worker has no process.
   */
  async function readEarly() {
    const memory = createMemoryRunner({ program: () => cat });
    const connection = memory.connect();
    let settle = () => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    let asked = () => {};
    const unknown = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const early = createOutputStreams(connection, {
      startSettled: () => {
        asked();
        return settled;
      },
    });
    const seen: unknown[] = [];
    const reader = {
      onData: (_offset: number, data: Buffer) => seen.push(data.toString()) > 0,
      onSnapshot: () => {},
      onResized: ({ cols, rows }: { cols: number; rows: number }) => void seen.push([cols, rows]),
      onExit: ({ exitCode, signal }: { exitCode: number | null; signal: string | null }) =>
        void seen.push({ exitCode, signal }),
      onFailed: (error: unknown) => void seen.push(error),
    };
    early.follow(workerId, 0, reader);
    await unknown;
    return { connection, settle, seen, close: () => memory.close() };
  }

  test('gets its output from the beginning, and its exit', async () => {
    const { connection, settle, seen, close } = await readEarly();
    await connection.spawn(spec);
    await connection.input(workerId, 'first', Buffer.from('hello\r'));
    settle();
    await until(() => seen.join('').includes('hello'));
    expect(seen[0]).toEqual([90, 20]);
    await connection.end(workerId, 1_000);
    await until(() => typeof seen.at(-1) === 'object' && !Array.isArray(seen.at(-1)));
    expect(seen.at(-1)).toEqual({ exitCode: null, signal: expect.stringMatching(/^SIG/) });
    await close();
  });

  test('gets an exit without code or signal if the start fails', async () => {
    const { settle, seen, close } = await readEarly();
    expect(seen).toEqual([]);
    settle();
    await until(() => seen.length > 1);
    expect(seen.at(-1)).toEqual({ exitCode: null, signal: null });
    await close();
  });
});
