import { readFileSync } from 'node:fs';
import type { TestConsole } from '../../support/console.ts';

/** Whether a process is running. A zombie does not count as running. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/**
 * Kills the server and waits until another server answers. Returns three values of `performance.now()`: just before the
 * kill, after the server's end, and when the other server answered.
 */
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

/** Waits for a given time. Only for tests in which something must happen at a random time, not to wait for a state. */
export function aMoment(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Returns a reproducible random generator. Tests print the seed, so that a failure can be repeated with SEED. */
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
