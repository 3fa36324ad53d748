import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux has a file system in memory. */
const IN_MEMORY = '/dev/shm';
/** Type of such a file system (`TMPFS_MAGIC` in statfs(2)). */
const TMPFS = 0x01021994;
/** Bytes that must be free in it: many times what all workers use at once, about 100 MB. */
const FREE_BYTES_MIN = 2 * 1024 ** 3;

/**
 * Runs once before all tests. They make and delete files by the ten thousands, so the temporary files of this run go to
 * memory where possible, else to the usual folder. Everything that a test leaves there is removed after the last test.
 */
export default function temporaryFiles(): () => void {
  const folder = folderInMemory() ?? mkdtempSync(join(tmpdir(), 'agent-console-tests-'));
  // Open to all users, as /tmp is.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Returns a new folder in memory, or null where there is none with enough space in which programs can be run. */
function folderInMemory(): string | null {
  let folder: string | undefined;
  try {
    const { type, bavail, bsize } = statfsSync(IN_MEMORY);
    if (type !== TMPFS || bavail * bsize < FREE_BYTES_MIN) return null;
    // Short, because addresses of Unix sockets have at most 107 bytes.
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
