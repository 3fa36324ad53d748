import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './files.ts';

/**
 * The first symbolic link on the way to a branch or to its log, or null. Git would follow it and write to where it
 * leads, and an agent that may commit may put links there. What lies above the folder of the branches is the person's
 * own, and may well be links.
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
