import { readFileSync } from 'node:fs';
import type { TestConsole } from '../../support/console.ts';

/** Whether a process still runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Ends the server as a crash would, and resolves when another one answers. Times are `performance.now()`. */
export async function killServer(c: TestConsole): Promise<{ began: number; dead: number; back: number }> {
  const pid = c.serverPid();
  const began = performance.now();
  process.kill(pid, 'SIGKILL');
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
  const dead = performance.now();
  await c.until('another server', async () => {
    const next = c.serverPid();
    return (
      next !== pid &&
      isAlive(next) &&
      fetch(`${c.baseUrl}/health`).then(
        (answer) => answer.ok,
        () => false,
      )
    );
  });
  return { began, dead, back: performance.now() };
}

/** Lets some time pass at which nothing in particular is so: the moment is the point. */
export function aMoment(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Repeatable randomness; the seed is printed, so that a failure can be run again with SEED. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
