import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, readLine } from './files.ts';
import { commonDirOf } from './layout.ts';

const OBJECT_NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

async function packedRefs(commonDir: string): Promise<string> {
  try {
    return await readFile(path.join(commonDir, 'packed-refs'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/**
 * The commit of a local branch as it is stored in files, since a process for it would cost as much as making a small
 * worktree: null when there is no such branch, undefined when only git can tell (symbolic refs, the reftable format).
 * Formats: gitrepository-layout(5), and git-pack-refs(1) for `packed-refs`.
 * @param branch a valid branch name.
 */
export async function storedBranch(checkout: string, branch: string): Promise<string | null | undefined> {
  const commonDir = await commonDirOf(checkout);
  const loose = (await readLine(path.join(commonDir, 'refs/heads', branch)))?.trim();
  if (loose !== undefined) return OBJECT_NAME.test(loose) ? loose : undefined;
  const reftable = await stat(path.join(commonDir, 'reftable')).catch(() => null);
  if (reftable !== null) return undefined;
  const packed = await packedRefs(commonDir);
  const at = packed.indexOf(` refs/heads/${branch}\n`);
  if (at < 0) return null;
  const name = packed.slice(packed.lastIndexOf('\n', at) + 1, at);
  return OBJECT_NAME.test(name) ? name : undefined;
}
