import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';
import { afterEach, expect, it, vi } from 'vitest';
import { endLeftovers, processMark } from '../../src/git/leftover.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Starts a process that waits, with this argument. */
function waiting(argument: string): ChildProcess {
  const child = spawn('cat', ['-', argument], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  started.push(child);
  return child;
}

it.each(['/proc', '/no/proc'])(
  'ends a git process that an earlier server left, with %s, among long commands',
  async (proc) => {
    const others = Array.from({ length: 12 }, () => waiting('x'.repeat(100_000)));
    const left = waiting(processMark('/data/views'));
    const other = waiting(processMark('/other/views'));
    const ended = once(left, 'exit');
    await endLeftovers('/data/views', proc);
    expect(await ended).toEqual([null, 'SIGTERM']);
    expect([...others, other].map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual(
      [...others, other].map(() => null),
    );
  },
);

it('throws if a process does not end, so that the server can start', async () => {
  const pid = '99999999';
  const proc = mkdtempSync(join(tmpdir(), 'proc-'));
  mkdirSync(join(proc, pid));
  writeFileSync(join(proc, pid, 'cmdline'), `git\0${processMark('/data/views')}\0`);
  writeFileSync(join(proc, pid, 'stat'), `${pid} (git) D 1 ${pid}`);
  let now = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
    now += END_GRACE_MS;
    return now;
  });
  await expect(endLeftovers('/data/views', proc)).rejects.toThrow(pid);
  clock.mockRestore();
  rmSync(proc, { recursive: true });
});
