import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own with so many megabytes; undefined where mounting is not allowed. */
export function smallDisk(megabytes: number): { folder: string; unmount(): void } | undefined {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-console-disk-')));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    remove();
    return undefined;
  }
  return {
    folder,
    unmount() {
      // Lazily: a process that is just ending may still stand in it.
      execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
      remove();
    },
  };
}
