import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { CHECKOUT_WORKERS, CHECKOUT_WORKERS_FROM_FILES, GIT_REMOTE_LIMIT_MS } from '@agent-console/shared/limits/git';
import { linkInBranch } from './branch-links.ts';
import type { GitContext } from './context.ts';
import { aborted, stderrOf } from './failure.ts';
import { canonicalPath, errorCode, kindOfEntry, readLine } from './files.ts';
import { commonDirOf, gitDirOf, registrations } from './layout.ts';
import { isObjectId, requireBranchName, requireCommitish } from './names.ts';
import { branchExists } from './refs.ts';
import { creationMark, discard, unregister } from './worktree-discard.ts';

export interface AddSpec {
  repositoryPath: string;
  path: string;
  /** Branch to check out; null to check out `startPoint` with a detached HEAD. */
  branch: string | null;
  /** Commit at which the branch is created; null if the branch already exists. */
  startPoint: string | null;
  signal?: AbortSignal | undefined;
}

/**
 * Adds a worktree in three steps:
 * - creates the branch (git refuses an existing one);
 * - registers the worktree without files, in the repository's queue;
 * - writes the files, outside the queue.
 * If a step fails, everything created is discarded. After a crash, `discardWorktree` can undo the completed steps.
 * Takes three git processes, or two if the branch exists.
 * @throws CONFLICT (branch or path taken, links in the path of the ref), NOT_FOUND (no such branch or start point),
 * VALIDATION, GIT_FAILED, TIMEOUT.
 */
export async function addWorktree(context: GitContext, spec: AddSpec): Promise<{ sha: string }> {
  const { branch, startPoint, signal } = spec;
  if (branch !== null) requireBranchName(branch);
  if (startPoint !== null) requireCommitish(startPoint);
  const commonDir = await commonDirOf(spec.repositoryPath);
  const path = await canonicalPath(spec.path);
  if ((await kindOfEntry(path)) === 'something') throw pathTaken(path);
  const mark = creationMark(path, randomBytes(6).toString('hex'));
  if (branch !== null && startPoint === null && !(await branchExists(context, spec.repositoryPath, branch))) {
    const message = `The branch ${branch} does not exist in this repository. Check the name, or create the branch from a base.`;
    throw new ConsoleError('NOT_FOUND', message, { branch });
  }
  const undo = async (error: unknown): Promise<never> => {
    await discard(context, { repositoryPath: spec.repositoryPath, path, branch, mark }).catch((cause: unknown) => {
      context.log.warn(
        { err: cause, path, branch },
        'could not create a worktree, and could not delete everything created so far',
      );
    });
    throw error;
  };
  if (branch !== null && startPoint !== null) {
    await refuseLinks(commonDir, branch);
    await createBranch(context, { ...spec, branch, startPoint, mark }).catch((error: unknown) => {
      const refusal = branchRefusal(stderrOf(error), branch, startPoint);
      // Nothing is undone: git created nothing, and an existing branch with this name must not be deleted.
      if (refusal !== undefined) throw refusal;
      return undo(error);
    });
  }
  try {
    await context.queues.run(commonDir, () => register(context, { ...spec, path }, commonDir));
    const created = await checkout(context, path, startPoint, signal);
    await markComplete(path);
    return created;
  } catch (error) {
    return await undo(error);
  }
}

function pathTaken(path: string): ConsoleError {
  const message = `${path} already exists. Choose another folder for the worktree, or move the existing folder.`;
  return new ConsoleError('CONFLICT', message, { path });
}

async function refuseLinks(commonDir: string, branch: string): Promise<void> {
  const link = await linkInBranch(commonDir, branch);
  if (link === null) return;
  const advice = 'Check the target of the link, then delete the link or choose another branch name.';
  const message = `${link} is a symbolic link, and git would write the branch ${branch} to its target. ${advice}`;
  throw new ConsoleError('CONFLICT', message, { branch, path: link });
}

async function createBranch(
  context: GitContext,
  spec: AddSpec & { branch: string; startPoint: string; mark: string },
): Promise<void> {
  const { branch, startPoint, signal } = spec;
  // The last argument is the expected old value of the ref. If it is empty, git refuses to overwrite an existing ref.
  const start = isObjectId(startPoint) ? startPoint : `${startPoint}^{commit}`;
  const args = ['update-ref', '--create-reflog', '-m', spec.mark, '--', `refs/heads/${branch}`, start, ''];
  await context.run(args, { cwd: spec.repositoryPath, signal });
}

/** Returns the error that says why git did not create a branch; undefined if the reason is unknown. */
function branchRefusal(stderr: string, branch: string, startPoint: string): ConsoleError | undefined {
  const blockedBy = /'refs\/heads\/([^']+)' exists; cannot create/.exec(stderr)?.[1];
  if (blockedBy !== undefined) {
    const message = `git cannot create the branch ${branch}, because its name conflicts with the branch ${blockedBy}. Choose another name.`;
    return new ConsoleError('CONFLICT', message, { branch, blockedBy });
  }
  if (/reference already exists/.test(stderr)) {
    const message = `The branch ${branch} already exists. Choose another name, or use the existing branch.`;
    return new ConsoleError('CONFLICT', message, { branch });
  }
  if (/not a valid SHA1|nonexistent object|non-commit object/.test(stderr)) {
    const message = `The base ${startPoint} is not a commit. Choose another base.`;
    return new ConsoleError('NOT_FOUND', message, { base: startPoint });
  }
  return undefined;
}

async function register(context: GitContext, spec: AddSpec, commonDir: string): Promise<void> {
  if (spec.signal?.aborted) throw aborted(spec.signal, 'worktree add');
  // Until its files are written, the worktree is locked, which marks it as incomplete. The branch is passed by its
  // short name, because git treats a full ref as a commit and detaches HEAD.
  const target =
    spec.branch === null ? ['--detach', '--', spec.path, spec.startPoint ?? 'HEAD'] : ['--', spec.path, spec.branch];
  const add = () =>
    context.run(['worktree', 'add', '--no-checkout', '--lock', ...target], {
      cwd: spec.repositoryPath,
      signal: spec.signal,
    });
  try {
    await add();
  } catch (error) {
    if (await dropMissing(context, spec, commonDir)) {
      await add().catch(async (second: unknown) => {
        throw await translate(second, spec);
      });
      return;
    }
    throw await translate(error, spec);
  }
}

/**
 * Unregisters a worktree that is still registered at this path although its folder is gone. Returns whether there was
 * one.
 */
async function dropMissing(context: GitContext, spec: AddSpec, commonDir: string): Promise<boolean> {
  if (spec.signal?.aborted || (await kindOfEntry(spec.path)) === 'something') return false;
  const known = (await registrations(commonDir)).some((each) => each.path === spec.path);
  if (known) await unregister(context, spec.repositoryPath, commonDir, spec.path);
  return known;
}

/**
 * Reasons in the lock file of a worktree that git has not finished creating. git writes the first during `git worktree
 * add`, and the second if the option `--lock` is passed.
 */
const INCOMPLETE_REASONS = ['initializing', 'added with --lock'];

/** Whether `addWorktree` was interrupted for this worktree, so that its files may be incomplete. */
export async function isIncomplete(worktree: string): Promise<boolean> {
  if ((await kindOfEntry(worktree)) !== 'something') return true;
  // If the lock file cannot be read, somebody else has changed the worktree's folder. So the worktree counts as
  // complete and is not deleted.
  const reason = await lockOf(worktree).then(readLine, () => null);
  return reason !== null && INCOMPLETE_REASONS.includes(reason);
}

/** Whether the worktree's folder is missing or contains nothing but its `.git`. */
export async function isEmpty(worktree: string): Promise<boolean> {
  try {
    return (await readdir(worktree)).every((name) => name === '.git');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

async function markComplete(worktree: string): Promise<void> {
  await rm(await lockOf(worktree), { force: true });
}

const lockOf = async (worktree: string) => path.join(await gitDirOf(worktree), 'locked');

async function translate(error: unknown, spec: AddSpec): Promise<unknown> {
  const stderr = stderrOf(error);
  const elsewhere = /is already (?:checked out|used by worktree) at '(.*)'/.exec(stderr)?.[1];
  if (elsewhere !== undefined) {
    const advice =
      (await kindOfEntry(path.join(elsewhere, '.git'))) === 'nothing'
        ? `, but git can no longer use that folder. Run git worktree prune in ${spec.repositoryPath}, or use another branch.`
        : '. Use that worktree or another branch.';
    const message = `The branch ${spec.branch} is already checked out at ${elsewhere}${advice}`;
    return new ConsoleError('CONFLICT', message, { branch: spec.branch, path: elsewhere }, { cause: error });
  }
  return /^fatal: '.*' already exists$/m.test(stderr) ? pathTaken(spec.path) : error;
}

/**
 * Writes the files of the worktree with several parallel processes. Smudge filters may fetch, so the command has the
 * time limit of a fetch. Abbreviation is off, so git prints the full commit id, which saves a `rev-parse`.
 */
async function checkout(
  context: GitContext,
  path: string,
  startPoint: string | null,
  signal: AbortSignal | undefined,
): Promise<{ sha: string }> {
  const answer = await context.run(['reset', '--hard', '--no-recurse-submodules'], {
    cwd: path,
    timeoutMs: GIT_REMOTE_LIMIT_MS,
    signal,
    filters: 'write',
    settings: [
      'core.abbrev=no',
      `checkout.workers=${CHECKOUT_WORKERS}`,
      `checkout.thresholdForParallelism=${CHECKOUT_WORKERS_FROM_FILES}`,
    ],
  });
  const printed = /^HEAD is now at ([0-9a-f]+)/m.exec(answer.stdout.toString())?.[1];
  const sha = printed ?? startPoint ?? '';
  if (isObjectId(sha)) return { sha };
  const head = await context.run(['rev-parse', '--verify', 'HEAD'], { cwd: path });
  return { sha: head.stdout.toString().trim() };
}
