import type { GitContext } from './context.ts';
import { commonDirOf } from './layout.ts';

/**
 * A path as git's bytes, one character a byte: file names need not be UTF-8, and what is handed back to git or the
 * file system must be the same bytes.
 */
export type BytePath = string;

/** The path for people; bytes that are no UTF-8 show as U+FFFD. */
export function shown(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString();
}

interface Change {
  path: BytePath;
  /** Differs from HEAD in the index. */
  staged: boolean;
  /** Differs from the index in the working tree. */
  unstaged: boolean;
  unmerged: boolean;
  submodule: boolean;
}

export interface Status {
  /** Commit of HEAD, or null before the first one. */
  head: string | null;
  /** Null when detached. */
  branch: string | null;
  changes: Change[];
  /** Ends in `/` for a nested repository, which git does not look into. */
  untracked: BytePath[];
  /** Ends in `/` for a folder that is ignored as a whole. */
  ignored: BytePath[];
}

/** `full` lists each untracked and ignored file and looks into submodules; otherwise folders are summed up. */
export async function readStatus(context: GitContext, worktreePath: string, full: boolean): Promise<Status> {
  // A missing checkout is answered as such; git would find a repository further up.
  await commonDirOf(worktreePath);
  const depth = full
    ? ['--untracked-files=all', '--ignored=matching', '--ignore-submodules=none']
    : ['--untracked-files=normal', '--ignored=no', '--ignore-submodules=dirty'];
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--no-ahead-behind', ...depth];
  const { stdout } = await context.commands.run(args, { cwd: worktreePath });
  return parseStatus(stdout.toString('latin1'));
}

function parseStatus(text: string): Status {
  const status: Status = { head: null, branch: null, changes: [], untracked: [], ignored: [] };
  for (const entry of text.split('\0')) {
    const fields = entry.split(' ');
    const rest = (from: number) => fields.slice(from).join(' ');
    if (fields[0] === '?') status.untracked.push(rest(1));
    else if (fields[0] === '!') status.ignored.push(rest(1));
    else if (fields[0] === '1' || fields[0] === 'u') status.changes.push(toChange(fields, rest));
    else if (fields[1] === 'branch.oid') status.head = fields[2] === '(initial)' ? null : (fields[2] ?? null);
    else if (fields[1] === 'branch.head') status.branch = rest(2) === '(detached)' ? null : shown(rest(2));
  }
  return status;
}

function toChange(fields: readonly string[], rest: (from: number) => string): Change {
  const unmerged = fields[0] === 'u';
  const [staged = '.', unstaged = '.'] = fields[1] ?? '';
  return {
    path: rest(unmerged ? 10 : 8),
    staged: staged !== '.',
    unstaged: unmerged || unstaged !== '.',
    unmerged,
    submodule: fields[2]?.startsWith('S') ?? false,
  };
}

/** Where a worktree stands. A detached HEAD has no branch, a repository without commits no sha (an empty one). */
export async function readState(
  context: GitContext,
  worktreePath: string,
): Promise<{ currentSha: string; branch: string | null; hasChanges: boolean }> {
  const status = await readStatus(context, worktreePath, false);
  return {
    currentSha: status.head ?? '',
    branch: status.branch,
    hasChanges: status.changes.length > 0 || status.untracked.length > 0,
  };
}
