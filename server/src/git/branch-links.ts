import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './files.ts';

/**
 * Returns the first symbolic link on the path of a branch's ref or reflog, or null. An agent that may commit can create
 * such links, and git would write to their targets. The folders that contain `refs/heads` and `logs/refs/heads` belong
 * to the user, so they may be links.
 * @param branch a valid branch name.
 */
export async function linkInBranch(commonDir: string, branch: string): Promise<string | null> {
  for (const top of ['refs/heads', 'logs/refs/heads']) {
    let at = path.join(commonDir, top);
    for (const part of ['', ...branch.split('/')]) {
      at = path.join(at, part);
      const kind = await kindOf(at);
      if (kind === 'link') return at;
      if (kind === 'nothing') break;
    }
  }
  return null;
}

async function kindOf(at: string): Promise<'nothing' | 'link' | 'other'> {
  try {
    return (await lstat(at)).isSymbolicLink() ? 'link' : 'other';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return 'nothing';
    throw error;
  }
}
