import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folder of the file system that Linux keeps in memory. */
const IN_MEMORY = '/dev/shm';
/** Type of a file system in memory (`TMPFS_MAGIC` in statfs(2)). */
const TMPFS = 0x01021994;
/** Number of bytes that must be free in `IN_MEMORY`. All workers of a test run together use about 100 MB. */
const FREE_BYTES_MIN = 2 * 1024 ** 3;

/**
 * Runs once before all tests. They create and delete tens of thousands of files, so the temporary files of this run are
 * kept in memory if possible, or else in the usual folder. Files that tests leave are removed after the last test.
 */
export default function temporaryFiles(): () => void {
  const folder = folderInMemory() ?? mkdtempSync(join(tmpdir(), 'agent-console-tests-'));
  // All users may write to the folder, as to /tmp.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Returns a new folder in memory, or null if there is not enough space or if programs in the folder cannot be run. */
function folderInMemory(): string | null {
  let folder: string | undefined;
  try {
    const { type, bavail, bsize } = statfsSync(IN_MEMORY);
    if (type !== TMPFS || bavail * bsize < FREE_BYTES_MIN) return null;
    // The name is short, since addresses of Unix sockets have at most 107 bytes.
    folder = mkdtempSync(join(IN_MEMORY, 'ac-'));
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    rmSync(program);
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return null;
  }
}
