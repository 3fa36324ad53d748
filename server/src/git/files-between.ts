import type { GitContext } from './context.ts';
import { displayPath } from './status.ts';

/** Returns the paths of the files that differ between two commits. A renamed file has two paths. */
export async function filesBetween(context: GitContext, cwd: string, from: string, to: string): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to, '--'];
  const { stdout } = await context.run(args, { cwd, env: { GIT_NO_REPLACE_OBJECTS: '1' } });
  return stdout.toString('latin1').split('\0').filter(Boolean).map(displayPath);
}
