import { describe, expect, it } from 'vitest';
import { follow, inParallel, seqOutput, sha256, shell, terminal, useRunner } from './helpers.ts';

const setup = useRunner();
const LONG = process.env.LONG !== undefined;
const FLOODS = LONG ? 50 : 10;

describe('output of a terminal', () => {
  it(`is complete to the last byte in ${FLOODS} floods`, async () => {
    const { runner } = await setup.shared();
    const expected = seqOutput(200_000);
    const expectedHash = sha256(expected);
    await inParallel(FLOODS, 3, async () => {
      const spec = terminal('seq', ['1', '200000']);
      await runner.spawn(spec);
      const followed = follow(runner, spec.workerId);
      const exit = await followed.exit;
      expect({ offset: exit.offset, hash: followed.hash() }).toEqual({ offset: expected.length, hash: expectedHash });
      const stored = await runner.read(spec.workerId, 0, expected.length + 1);
      expect(sha256(stored.data)).toBe(expectedHash);
    });
  });

  it('is complete when a process ends immediately after writing it', async () => {
    const { runner } = await setup.shared();
    const expected = seqOutput(1_000);
    await inParallel(LONG ? 1_000 : 50, 5, async () => {
      const spec = terminal('seq', ['1', '1000']);
      await runner.spawn(spec);
      const followed = follow(runner, spec.workerId);
      const exit = await followed.exit;
      expect(exit).toEqual({ offset: expected.length, exitCode: 0, signal: null });
      expect(followed.hash()).toBe(sha256(expected));
    });
  });

  it('is in the log by the time the exit is reported', async () => {
    const { runner } = await setup.start();
    const spec = shell('printf all; exit 7');
    const exited = new Promise((resolve) => runner.onExit((workerId, exit) => resolve({ workerId, exit })));
    await runner.spawn(spec);
    expect(await exited).toEqual({ workerId: spec.workerId, exit: { offset: 3, exitCode: 7, signal: null } });
    expect((await runner.read(spec.workerId, 0, 100)).data.toString()).toBe('all');
  });
});
