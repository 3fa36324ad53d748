import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import { listNames } from '@agent-console/shared/words';
import type { CommitPlan, GitCommand } from '../ports/git-changes.ts';
import { registeredGitDir, withView } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { errorCode } from './files.ts';
import { checkoutEnvironment, dropPrepared, hooksFolder, preparedFile } from './hooks.ts';
import { inProgress } from './in-progress.ts';
import { requireUnlocked } from './index-lock.ts';
import { type BytePath, displayPath, readChanges, type Status } from './status.ts';

const joined = (paths: readonly BytePath[]) => Buffer.from(paths.map((each) => `${each}\0`).join(''), 'latin1');

/** Returns the changes to commit. @throws CONFLICT as documented by `GitChanges.prepareCommit`. */
async function committable(context: GitContext, checkout: CheckoutLocation, paths: readonly string[] | undefined) {
  const gitDir = await registeredGitDir(checkout);
  const status = await withView(context, checkout, readChanges);
  const isMerge = await refuseUnfinished(checkout, gitDir, status, paths);
  const { files, leftOut } = selectChanges(status, paths);
  if (files.length === 0 && !isMerge) throw nothingToCommit(checkout, leftOut);
  return { status, gitDir, files, leftOut };
}

function planOf(status: Status, files: readonly BytePath[], leftOut: readonly BytePath[]): CommitPlan {
  return { before: status.head, files: files.length, leftOut: leftOut.slice(0, RISK_LIST_MAX).map(displayPath) };
}

export async function planCommit(
  context: GitContext,
  checkout: CheckoutLocation,
  paths: readonly string[] | undefined,
): Promise<CommitPlan & { paths: string[] }> {
  const { status, files, leftOut } = await committable(context, checkout, paths);
  return { ...planOf(status, files, leftOut), paths: files.slice(0, RISK_LIST_MAX).map(displayPath) };
}

/**
 * Prepares a commit in a separate index, like `git commit <paths>`. The worktree's index stays unchanged if a hook
 * refuses the commit, the disk is full, or the server crashes.
 */
export async function prepareCommit(
  context: GitContext,
  checkout: CheckoutLocation,
  id: string,
  paths: readonly string[] | undefined,
): Promise<CommitPlan> {
  const { status, gitDir, files, leftOut } = await committable(context, checkout, paths);
  // If a dead git process left a lock behind, the commit would succeed, but `finishCommit` would fail. The worktree's
  // index would keep the old entries, so the next commit would undo this one.
  await context.queues.run(checkout.commonDir, () => requireUnlocked(context, gitDir));
  const index = await preparedFile(checkout, id, 'index');
  await dropPrepared(checkout, id);
  const env = { ...(await checkoutEnvironment(checkout)), GIT_INDEX_FILE: index };
  // `core.splitIndex` is off. Otherwise git would split this index and write its shared part into the repository.
  const options = { cwd: checkout.path, env, settings: ['core.splitIndex=false'], filters: 'write' as const };
  if (paths !== undefined) await context.run(['read-tree', status.head ?? '--empty'], options);
  else await copyIndex(path.join(gitDir, 'index'), index);
  // If a file was removed only from the index, `--add` would add it again, even if git ignores the file.
  const untracked = new Set(status.untracked);
  const removed = new Set(
    status.changes.flatMap((change) => (change.removed && !untracked.has(change.path) ? [change.path] : [])),
  );
  const update = async (flags: readonly string[], listed: readonly BytePath[]) => {
    if (listed.length === 0) return;
    await context.run(['update-index', ...flags, '-z', '--stdin'], { ...options, input: joined(listed) });
  };
  const isRemoved = (each: BytePath) => removed.has(each);
  await update(['--force-remove'], files.filter(isRemoved));
  const others = files.filter((each) => !isRemoved(each));
  await update(['--add', '--remove', '--replace'], others);
  return planOf(status, files, leftOut);
}

async function copyIndex(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

/**
 * Returns whether a merge is in progress, which the commit will conclude.
 * @throws CONFLICT if files are unmerged, if a rebase, cherry-pick or revert is in progress, or if `paths` is given
 * during a merge.
 */
async function refuseUnfinished(
  checkout: CheckoutLocation,
  gitDir: string,
  status: Status,
  paths: readonly string[] | undefined,
): Promise<boolean> {
  const { path: at } = checkout;
  const unmerged = status.changes.filter((change) => change.unmerged).map((change) => displayPath(change.path));
  if (unmerged.length > 0) {
    const files = unmerged.slice(0, RISK_LIST_MAX);
    const message = `These files in ${at} have conflicts: ${listNames(unmerged)}. Resolve the conflicts and run git add on the files first.`;
    throw new ConsoleError('CONFLICT', message, { files });
  }
  const found = await inProgress(gitDir);
  if (found === null || found.operation === 'bisect') return false;
  const { operation } = found;
  if (operation === 'merge' && paths === undefined) return true;
  const advice =
    operation === 'merge'
      ? 'A merge can only be committed as a whole. Do not pass `paths`.'
      : `Finish or abort it first: git ${operation} --continue, or git ${operation} --abort.`;
  throw new ConsoleError('CONFLICT', `A ${operation} is in progress in ${at}. ${advice}`, { operation });
}

/**
 * Returns the changed files at or below one of `paths`, and separately (`leftOut`) the nested repositories there.
 * Without `paths`, returns those of the whole worktree.
 * @throws CONFLICT for a path without changes.
 */
export function selectChanges(
  status: Status,
  paths: readonly string[] | undefined,
): { files: BytePath[]; leftOut: BytePath[] } {
  const all = [...status.changes.map((change) => change.path), ...status.untracked];
  const requestedPaths = paths?.map((each) => Buffer.from(each.replace(/\/+$/, '')).toString('latin1'));
  const covers = (above: BytePath, each: BytePath) => each === above || each.startsWith(`${above}/`);
  const missing = requestedPaths?.find((above) => !all.some((each) => covers(above, each)));
  if (missing !== undefined) {
    const name = displayPath(missing);
    throw new ConsoleError('CONFLICT', `${name} has no uncommitted changes. List the changes again.`, { path: name });
  }
  const selected =
    requestedPaths === undefined ? all : all.filter((each) => requestedPaths.some((above) => covers(above, each)));
  // git lists a nested repository with a slash at its end.
  return {
    files: selected.filter((each) => !each.endsWith('/')),
    leftOut: selected.filter((each) => each.endsWith('/')),
  };
}

function nothingToCommit({ path: at }: CheckoutLocation, leftOut: readonly BytePath[]): ConsoleError {
  const nested = leftOut.map(displayPath).join(', ');
  const why = nested === '' ? '' : ` The nested repositories ${nested} cannot be committed.`;
  return new ConsoleError('CONFLICT', `There are no uncommitted changes in ${at}.${why}`, { path: at });
}

const COMMIT = ['commit', '--quiet', '--cleanup=whitespace'];

/** Exit code of a commit that was not made because HEAD has moved since it was prepared. */
const MOVED_CODE = 75;

/**
 * Shell script that runs a command only if HEAD is at the expected commit. The first argument is that commit, or empty
 * if HEAD should have no commit. The other arguments are the command.
 */
const IF_NOT_MOVED = `test "$(git rev-parse --verify --quiet HEAD)" = "$1" || exit ${MOVED_CODE}; shift; exec "$@"`;

export async function commit(
  context: GitContext,
  checkout: CheckoutLocation,
  id: string,
  { message, before }: { message: string; before: string | null },
): Promise<void> {
  const env = await checkoutEnvironment(checkout);
  const index = { ...env, GIT_INDEX_FILE: await preparedFile(checkout, id, 'index') };
  const head = async (name: string) => {
    const args = ['rev-parse', '--verify', '--quiet', name];
    return (await context.run(args, { cwd: checkout.path, env, okCodes: [0, 1] })).stdout.toString().trim();
  };
  // If HEAD has moved since the index was prepared, for example by an agent's commit, this commit would revert the
  // newer commits.
  await context.queues.run(checkout.commonDir, async () => {
    if ((await head('HEAD')) !== (before ?? '')) throw moved(checkout);
    const options = { cwd: checkout.path, env: index, filters: 'write', input: message } as const;
    await context.run([...COMMIT, '-F', '-'], options);
    const parent = await head('HEAD^1');
    if (parent === (before ?? '')) return;
    await context.run(
      ['update-ref', '-m', 'agent-console: undo commit, because HEAD moved', 'HEAD', parent, await head('HEAD')],
      { cwd: checkout.path, env },
    );
    throw moved(checkout);
  });
}

function moved({ path: at }: CheckoutLocation): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    `Somebody else has committed in ${at} in the meantime, so nothing was committed. Try again.`,
    { path: at },
  );
}

/**
 * Returns the error for a commit command whose exit code means that HEAD had moved, so that no commit was made; null
 * for any other exit code.
 */
export function movedError(checkout: CheckoutLocation, exitCode: number | null): ConsoleError | null {
  return exitCode === MOVED_CODE ? moved(checkout) : null;
}

export async function commitCommand(
  context: GitContext,
  checkout: CheckoutLocation,
  id: string,
  { messageFile, before }: { messageFile: string; before: string | null },
): Promise<GitCommand> {
  const env = { ...(await checkoutEnvironment(checkout)), GIT_INDEX_FILE: await preparedFile(checkout, id, 'index') };
  const hooksPath = await hooksFolder(context, checkout);
  const options = { cwd: checkout.path, env, filters: 'write' as const, hooksPath };
  const line = await context.line([...COMMIT, '-F', messageFile], options);
  return { file: '/bin/sh', args: ['-c', IF_NOT_MOVED, 'sh', before ?? '', line.file, ...line.args], env: line.env };
}

/** Sets the entries of the committed files in the worktree's index to the new commit. Returns the commit. */
export async function finishCommit(
  context: GitContext,
  checkout: CheckoutLocation,
  id: string,
  before: string | null,
): Promise<string> {
  const env = await checkoutEnvironment(checkout);
  const options = { cwd: checkout.path, env };
  const names = ['-r', '-z', '--name-only', '--no-renames'];
  const args =
    before === null
      ? ['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD']
      : ['diff-tree', ...names, '--no-commit-id', before, 'HEAD', '--'];
  const { stdout } = await context.run(args, options);
  if (stdout.length > 0) {
    const reset = ['reset', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul'];
    await context.run(reset, { ...options, env: { ...env, GIT_LITERAL_PATHSPECS: '1' }, input: stdout });
  }
  await dropPrepared(checkout, id);
  const head = await context.run(['rev-parse', 'HEAD'], options);
  return head.stdout.toString().trim();
}

/**
 * Returns the commit of HEAD if its parent is `before` and it has this message or the files of the prepared index `id`;
 * otherwise null. Used after a crash or a failed hook to find out whether the commit was made. Hooks can change the
 * message, and files in the prepared index.
 */
export async function committed(
  context: GitContext,
  checkout: CheckoutLocation,
  id: string,
  { message, before }: { message: string; before: string | null },
): Promise<string | null> {
  const env = await checkoutEnvironment(checkout);
  const args = ['log', '-1', '--format=%H%n%T%n%P%n%B', 'HEAD', '--'];
  const { exitCode, stdout } = await context.run(args, { cwd: checkout.path, env, okCodes: [0, 128] });
  if (exitCode !== 0) return null;
  const [sha = '', tree = '', parents = '', ...body] = stdout.toString().split('\n');
  if ((parents.split(' ')[0] ?? '') !== (before ?? '')) return null;
  const words = (text: string) => text.split(/\s+/).filter(Boolean).join(' ');
  if (words(body.join('\n')) === words(message)) return sha;
  return (await preparedTree(context, checkout, id)) === tree ? sha : null;
}

/** Returns the tree of the prepared index, or null if there is no index or git cannot write a tree from it. */
async function preparedTree(context: GitContext, checkout: CheckoutLocation, id: string): Promise<string | null> {
  const index = await preparedFile(checkout, id, 'index');
  if (!existsSync(index)) return null;
  const env = { ...(await checkoutEnvironment(checkout)), GIT_INDEX_FILE: index };
  const { exitCode, stdout } = await context.run(['write-tree'], { cwd: checkout.path, env, okCodes: [0, 128] });
  return exitCode === 0 ? stdout.toString().trim() : null;
}
