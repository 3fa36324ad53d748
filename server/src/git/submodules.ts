import path from 'node:path';
import { GITMODULES_MAX_BYTES } from '@agent-console/shared/limits/git';
import { kindOfEntry, readLine } from './files.ts';

/**
 * Returns the paths of the submodules whose folders in this checkout are empty, because `git worktree add` does not
 * check out submodules. Starts no git process.
 */
export async function emptySubmodules(checkout: string): Promise<string[]> {
  const text = (await readLine(path.join(checkout, '.gitmodules'), GITMODULES_MAX_BYTES)) ?? '';
  const paths = [...text.matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)].map(([, found]) => found ?? '');
  const empty: string[] = [];
  for (const each of paths.filter((found) => !found.split('/').includes('..'))) {
    if ((await kindOfEntry(path.join(checkout, each))) === 'emptyFolder') empty.push(each);
  }
  return empty;
}
