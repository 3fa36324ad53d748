import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts a file system of this size. Returns undefined if mounting is not allowed. */
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
      // The file system is unmounted lazily, since a process that is about to end may still use the folder.
      execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
      remove();
    },
  };
}
