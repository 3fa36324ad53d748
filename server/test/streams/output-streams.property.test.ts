import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutputStreams } from '../../src/streams/output-streams.ts';
import { bytesAt, FileRunner } from './file-runner.ts';
import { Recorder, until } from './recorder.ts';

const VIEWERS = 3;
const BOUNDS = { windowBytes: 6_000, lagBytes: 20_000, silentMs: 100, blockBytes: 1_500 };

const viewer = fc.nat({ max: VIEWERS - 1 });
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('print' as const), bytes: fc.integer({ min: 1, max: 9_000 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('turns' as const), count: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('ack' as const), viewer, part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ackBeyond' as const), viewer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('full' as const), viewer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('close' as const), viewer }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('again' as const), viewer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('viewTail' as const), viewer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('viewStart' as const), viewer }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('resize' as const), cols: fc.integer({ min: 2, max: 200 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 150 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('follow' as const) }) },
);

test('whatever readers do, each receives output without gaps and the exit', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 5, maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 7 }),
      async (actions, pieces) => {
        let piece = 0;
        const runner = await FileRunner.create(() => pieces[piece++ % pieces.length] ?? 1);
        let clock = 0;
        const streams = createOutputStreams(runner, { now: () => clock, bounds: BOUNDS });
        const viewers = Array.from({ length: VIEWERS }, () => new Recorder(streams, runner.workerId));
        const followers: { next: number; ended: boolean }[] = [];
        const failures: unknown[] = [];
        try {
          for (const step of actions) {
            const at = 'viewer' in step ? viewers[step.viewer] : undefined;
            if (step.do === 'print') runner.print(step.bytes);
            else if (step.do === 'resize') runner.resizeNow(step.cols, 24);
            else if (step.do === 'time') clock += step.ms;
            else if (step.do === 'turns') {
              for (let n = 0; n < step.count; n += 1) await new Promise((resolve) => setImmediate(resolve));
            } else if (step.do === 'follow') {
              const seen = { next: 0, ended: false };
              followers.push(seen);
              streams.follow(runner.workerId, 0, {
                onData(offset, data) {
                  expect(offset).toBe(seen.next);
                  expect(data.equals(bytesAt(offset, data.length))).toBe(true);
                  seen.next += data.length;
                },
                onResized: (event) => expect(event.offset).toBe(seen.next),
                onExit(exit) {
                  expect(exit.offset).toBe(seen.next);
                  seen.ended = true;
                },
                onFailed(error) {
                  failures.push(error);
                  seen.ended = true;
                },
              });
            } else if (at === undefined) continue;
            else if (step.do === 'ack' && at.next !== undefined) {
              at.ack(Math.floor(at.acked + (at.next - at.acked) * step.part));
            } else if (step.do === 'ackBeyond' && at.open) at.ack(at.next);
            else if (step.do === 'full') at.takes = !at.takes;
            else if (step.do === 'close') at.close();
            else if (step.do === 'again') at.start('next');
            else if (step.do === 'viewTail') {
              at.next = undefined;
              at.start(undefined);
            } else if (step.do === 'viewStart') at.start(0);
          }
          runner.exit(7);
          for (const at of viewers) if (!at.open) at.start('next');
          await until(() => {
            for (const at of viewers) {
              at.drained();
              at.ack();
            }
            return (
              viewers.every((at) => at.exit !== undefined || at.failure !== undefined) &&
              followers.every((seen) => seen.ended)
            );
          });
          for (const at of viewers) {
            expect(at.failure).toBeUndefined();
            expect(at.largestUnacked).toBeLessThanOrEqual(BOUNDS.windowBytes);
            // A viewer skips output only if it acknowledges nothing for a while or starts without an offset.
            if (clock <= BOUNDS.silentMs) expect(at.snapshots.length).toBeLessThanOrEqual(at.tailStarts);
            expect(at.exit).toEqual({ offset: runner.size, exitCode: 7, signal: null });
          }
          expect(failures).toEqual([]);
          for (const seen of followers) expect(seen.next).toBe(runner.size);
        } finally {
          for (const at of viewers) at.close();
          await runner.dispose();
        }
      },
    ),
    { numRuns: process.env.LONG ? 3_000 : 75 },
  );
});
