import { type FileHandle, lstat, open } from 'node:fs/promises';
import type { CheckoutView } from './checkout-view.ts';
import { errorCode } from './files.ts';
import { absoluteBytes } from './recovery-plan.ts';
import { type BytePath, displayPath } from './status.ts';

/**
 * Whether each existing file contains only what git wrote from one of the commits, possibly cut off by a full disk.
 * Such files need not be saved before they are replaced.
 */
export async function areFromCommits(
  view: CheckoutView,
  commits: readonly string[],
  paths: readonly BytePath[],
): Promise<boolean> {
  for (const path of paths) if (!(await isFromCommits(view, commits, path))) return false;
  return true;
}

async function isFromCommits(view: CheckoutView, commits: readonly string[], path: BytePath): Promise<boolean> {
  const at = absoluteBytes(view.path, path);
  const found = await lstat(at).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
    throw error;
  });
  if (found === null) return true;
  if (!found.isFile()) return false;
  const file = await open(at);
  try {
    for (const commit of commits) if (await isBeginning(view, file, { commit, path, size: found.size })) return true;
    return false;
  } finally {
    await file.close();
  }
}

/** Whether a file's content is a prefix of what a checkout of the commit would write, with filters applied. */
async function isBeginning(
  view: CheckoutView,
  file: FileHandle,
  { commit, path, size }: { commit: string; path: BytePath; size: number },
): Promise<boolean> {
  // The name is passed by standard input, because an argument cannot contain bytes that are not UTF-8.
  const input = Buffer.from(`${commit}:${path}\n`, 'latin1');
  const { stdout } = await view.run(['cat-file', '--batch-check=%(objecttype) %(objectname)'], { input });
  const [type, name = ''] = stdout.toString().trim().split(' ');
  if (type !== 'blob') return false;
  let position = 0;
  let isEqual = true;
  await view.run(['cat-file', '--filters', `--path=${displayPath(path)}`, name], {
    filters: 'write',
    async onStdout(chunk) {
      if (!isEqual || position === size) return;
      const wanted = chunk.subarray(0, size - position);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted.length), 0, wanted.length, position);
      isEqual = bytesRead === wanted.length && buffer.equals(wanted);
      position += wanted.length;
    },
  });
  return isEqual && position === size;
}
