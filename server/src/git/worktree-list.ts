import type { WorktreeEntry } from '../ports/git.ts';
import type { GitOutput } from './command.ts';
import type { GitContext } from './context.ts';
import { stderrOf } from './failure.ts';
import { commonDirOf } from './layout.ts';

/** Lists all worktrees, the main checkout first, without the entry of a bare repository. */
export async function listWorktrees(context: GitContext, repositoryPath: string): Promise<WorktreeEntry[]> {
  return worktreesOf(context, repositoryPath, await commonDirOf(repositoryPath));
}

/** Like `listWorktrees`, but with a known common directory. `cwd` may be any folder of the repository. */
export async function worktreesOf(context: GitContext, cwd: string, commonDir: string): Promise<WorktreeEntry[]> {
  const records = await readRecords(context, cwd);
  return records.flatMap((record, index) => {
    const attributes = new Map(record.map((line) => [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)]));
    const path = attributes.get('worktree');
    if (path === undefined || attributes.has('bare')) return [];
    const main = index === 0;
    return {
      // For a submodule, git prints its git directory instead of its checkout. The checkout is `cwd`.
      path: main && path === commonDir ? cwd : path,
      branch: attributes.get('branch')?.replace(/^refs\/heads\//, '') ?? null,
      head: attributes.get('HEAD') ?? '',
      main,
      prunable: attributes.has('prunable'),
      locked: attributes.has('locked'),
    };
  });
}

async function readRecords(context: GitContext, cwd: string): Promise<string[][]> {
  const list = ['worktree', 'list', '--porcelain'];
  const split = ({ stdout }: GitOutput, end: string) =>
    stdout
      .toString()
      .split(end + end)
      .map((record) => record.split(end));
  try {
    return split(await context.run([...list, '-z'], { cwd }), '\0');
  } catch (error) {
    // Before version 2.36, `git worktree list` has no option -z, so the list is read as lines instead.
    if (!/unknown switch|usage:/.test(stderrOf(error))) throw error;
    return split(await context.run(list, { cwd }), '\n');
  }
}
