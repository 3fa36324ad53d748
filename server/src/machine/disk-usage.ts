import { execFile } from 'node:child_process';
import { DISK_USAGE_AT_ONCE, DISK_USAGE_KEPT_MS, DISK_USAGE_LIMIT_MS } from '@agent-console/shared/limits/worktrees';
import { Semaphore } from 'async-mutex';
import type { Host } from '../ports/host.ts';

interface Measured {
  bytes: Promise<number | null>;
  at: number;
}

/** Measures folders with `du`, a few at a time, and reuses recent results. */
export function createDiskUsage(environment: Host['environment']): Host['diskUsage'] {
  const limiter = new Semaphore(DISK_USAGE_AT_ONCE);
  const measured = new Map<string, Measured>();

  /**
   * Returns the size of a folder in bytes; null if `du` takes too long or prints no size, for example because it is
   * missing.
   */
  const measure = (path: string) =>
    new Promise<number | null>((resolve) => {
      const options = { env: { PATH: environment.PATH, LC_ALL: 'C' }, timeout: DISK_USAGE_LIMIT_MS, cwd: '/' };
      // `du` counts hard links once and does not follow symbolic links. Its exit code is ignored: after an error, it
      // still prints the size of everything it could read.
      const child = execFile('du', ['-sk', path], options, (_error, stdout) => {
        const kibibytes = /^\d+/.exec(stdout)?.[0];
        resolve(kibibytes === undefined || child.killed ? null : Number(kibibytes) * 1024);
      });
    });

  return ({ path }) => {
    const now = performance.now();
    for (const [key, { at }] of measured) if (now - at > DISK_USAGE_KEPT_MS) measured.delete(key);
    const known = measured.get(path);
    if (known !== undefined) return known.bytes;
    const bytes = limiter.runExclusive(() => measure(path));
    measured.set(path, { bytes, at: now });
    return bytes;
  };
}
