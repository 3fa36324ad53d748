import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { linkInBranch } from './branch-links.ts';
import type { GitContext } from './context.ts';
import { deleteEmptyFolder, deleteTree, moveToTrash, trashOf } from './delete-folder.ts';
import { canonicalPath, kindOfEntry } from './files.ts';
import { commonDirOf, pointsInto, registrations } from './layout.ts';
import { requireBranchName } from './names.ts';

/**
 * Returns the text of the first reflog entry of a branch that the console creates for a worktree. Even after a crash,
 * this text distinguishes the console's branch from a branch with the same name that somebody else created. `nonce`
 * distinguishes attempts to create the worktree.
 */
export function creationMark(worktreePath: string, nonce: string): string {
  return `${markForStatus(worktreePath)} (${nonce})`;
}

const markForStatus = (worktreePath: string) => `agent-console: created for ${worktreePath.replace(/\s+/g, ' ')}`;

/**
 * Undoes `addWorktree` at any stage, even if an earlier server process called it. Does not delete a folder that is not
 * a worktree of this repository, or a branch that was not created for this worktree or is checked out elsewhere.
 */
export async function discardWorktree(
  context: GitContext,
  spec: { repositoryPath: string; path: string; branch: string | null; deleteBranch: boolean },
): Promise<void> {
  if (spec.branch !== null) requireBranchName(spec.branch);
  const at = await canonicalPath(spec.path);
  const mark = `${markForStatus(at)} (`;
  await discard(context, { ...spec, path: at, branch: spec.deleteBranch ? spec.branch : null, mark });
}

/**
 * Removes a worktree's folder and registration. Also deletes its branch if the branch's reflog begins with `mark`,
 * which proves that the console created the branch for this worktree. `path` must be canonical.
 */
export async function discard(
  context: GitContext,
  spec: { repositoryPath: string; path: string; branch: string | null; mark: string },
): Promise<void> {
  const commonDir = await commonDirOf(spec.repositoryPath);
  await context.queues.run(commonDir, async () => {
    if (await isLinkedWorktree(commonDir, spec.path)) await moveToTrash(context, spec.path);
    else await deleteEmptyFolder(spec.path);
    await unregister(context, spec.repositoryPath, commonDir, spec.path);
    if (spec.branch !== null) await deleteMarkedBranch(context, { ...spec, commonDir, branch: spec.branch });
  });
  await deleteTree(context, trashOf(spec.path));
}

/**
 * Removes a worktree's folder and registration, even if the worktree is locked. Its branch stays. Succeeds if the
 * worktree does not exist.
 * @throws CONFLICT for the main checkout, a worktree of another repository, or a worktree that contains another
 * worktree.
 */
export async function removeWorktree(context: GitContext, repositoryPath: string, worktreePath: string): Promise<void> {
  const commonDir = await commonDirOf(repositoryPath);
  const at = await canonicalPath(worktreePath);
  await context.queues.run(commonDir, async () => {
    const inside = (await registrations(commonDir)).find((each) => each.path?.startsWith(at + path.sep));
    if (inside !== undefined) {
      const message = `${at} contains another worktree, ${inside.path}. Remove that worktree first.`;
      throw new ConsoleError('CONFLICT', message, { path: at, holds: inside.path });
    }
    const present = (await kindOfEntry(at)) !== 'nothing';
    if (present && !(await isLinkedWorktree(commonDir, at))) {
      const message = `${at} is not a removable worktree of this repository. Nothing was deleted.`;
      throw new ConsoleError('CONFLICT', message, { path: at });
    }
    await moveToTrash(context, at);
    await unregister(context, repositoryPath, commonDir, at);
  });
  await deleteTree(context, trashOf(at));
}

/**
 * Whether the folder is a linked worktree, according to its `.git` file or git's record. False for the main checkout.
 */
async function isLinkedWorktree(commonDir: string, at: string): Promise<boolean> {
  if (await pointsInto(commonDir, at)) return true;
  if ((await kindOfEntry(path.join(at, '.git'))) !== 'nothing') return false;
  return (await registrations(commonDir)).some((each) => each.path === at);
}

/** Unregisters a worktree whose folder is gone, even an incomplete one that git does not list. */
export async function unregister(
  context: GitContext,
  repositoryPath: string,
  commonDir: string,
  at: string,
): Promise<void> {
  const matching = (await registrations(commonDir)).filter((each) => each.path === at || isIncomplete(each, at));
  for (const { adminDir, path: recorded } of matching) {
    if (recorded !== null) {
      // git removes a locked worktree only if --force is given twice.
      const args = ['worktree', 'remove', '--force', '--force', '--', at];
      const answer = await context.run(args, { cwd: repositoryPath, okCodes: [0, 128] });
      if (answer.exitCode === 0) continue;
    }
    await deleteTree(context, adminDir);
  }
}

/**
 * Whether this registration belongs to the worktree at `at`, but git was killed before it wrote the worktree's path.
 * Compares the folder names instead: git names `adminDir` after the worktree's folder, and appends a number if that
 * name is taken.
 */
function isIncomplete(registration: { adminDir: string; path: string | null }, at: string): boolean {
  const name = path.basename(registration.adminDir);
  const base = path.basename(at);
  return registration.path === null && name.startsWith(base) && /^\d*$/.test(name.slice(base.length));
}

async function deleteMarkedBranch(
  context: GitContext,
  spec: { repositoryPath: string; commonDir: string; branch: string; mark: string },
): Promise<void> {
  const { repositoryPath: cwd, branch, mark } = spec;
  const link = await linkInBranch(spec.commonDir, branch);
  if (link !== null) {
    context.log.warn(
      { branch, path: link },
      'keeping the branch, because the path of its ref contains a symbolic link',
    );
    return;
  }
  const ref = `refs/heads/${branch}`;
  const format = '--format=%(refname)%00%(objectname)%00%(worktreepath)';
  const listed = await context.run(['for-each-ref', format, ref], { cwd });
  const line = listed.stdout.toString().trimEnd();
  const [name, sha = '', worktree] = line.split('\0');
  if (name !== ref || worktree !== '') return;
  const log = await context.run(['log', '--walk-reflogs', '--format=%gs', ref, '--'], { cwd });
  const first = log.stdout.toString().trimEnd().split('\n').at(-1) ?? '';
  if (!first.startsWith(mark)) {
    context.log.warn({ branch }, 'keeping the branch, because the console did not create it for this worktree');
    return;
  }
  await context.run(['update-ref', '-d', ref, sha], { cwd });
}
