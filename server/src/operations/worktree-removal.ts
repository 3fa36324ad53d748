import { basename } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { COMMAND_LIMIT_MS } from '@agent-console/shared/limits/worktrees';
import type { OutputOf } from '@agent-console/shared/operations/table';
import { listNames } from '@agent-console/shared/words';
import type { Call } from '../domain/call.ts';
import { commandEnvironment } from '../domain/environment.ts';
import { LIVE_WORKER, PRESENT_STATES } from '../domain/states.ts';
import { authorOf } from '../engine/changes/author.ts';
import { repositoryRow, worktreeRow } from '../engine/rows.ts';
import { retryWhileBusy } from '../engine/scheduling/jobs.ts';
import { refreshGitStatus, worktreeView } from '../engine/worktrees/git-status.ts';
import { notReady, sessionsIn } from '../engine/worktrees/occupancy.ts';
import { finishRemoval, removalOf } from '../engine/worktrees/recover.ts';
import type { CountedRisk, RemovalRisk } from '../ports/git.ts';
import type { RepositoryRow, WorktreeRow } from '../ports/rows.ts';
import type { Readers, Storage, Transaction } from '../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { recordWorktree } from './placement.ts';

/**
 * Risk of removing a worktree whose folder is already gone: nothing is left that could be lost. If an earlier call
 * removed the folder, that call reported the losses.
 */
const NO_RISK: RemovalRisk = {
  uncommitted: [],
  untracked: [],
  unpushed: [],
  ignored: [],
  leftOut: [],
  inProgress: null,
  more: 0,
};

/** @throws CONFLICT if a session in the worktree is live. */
export async function refuseLiveSessions(
  read: Pick<Readers, 'sessions' | 'workers'>,
  worktree: WorktreeRow,
): Promise<void> {
  const sessions = await sessionsIn(read, worktree);
  if (sessions.length === 0) return;
  const ids = sessions.map((session) => session.id);
  const workers = await read.workers.find({ sessionId: ids, ...LIVE_WORKER });
  if (workers.length === 0) return;
  const live = new Set(workers.map(({ sessionId }) => sessionId));
  // Private sessions are not named in the error, because the caller may not be allowed to see them.
  const session = sessions.find(({ id, visibility }) => live.has(id) && visibility !== 'private');
  if (session === undefined) {
    throw new ConsoleError('CONFLICT', 'A private session in this worktree is live. Its owner has to stop it first.');
  }
  throw new ConsoleError(
    'CONFLICT',
    `Session ${session.id} "${session.title}" is live in this worktree. Stop it first.`,
    { sessionId: session.id },
  );
}

/**
 * Describes the losses for which a removal requires `force`. Ignored files are not among them, because they are mostly
 * build output.
 */
function lossesOf({ counts, inProgress }: CountedRisk): string[] {
  const losses = [
    [counts.uncommitted, 'uncommitted change', ''],
    [counts.untracked, 'untracked file', ''],
    [counts.unpushed, 'commit', ' that no other branch or remote has'],
  ] as const;
  const operation =
    inProgress === null
      ? []
      : inProgress.saved
        ? [`a ${inProgress.operation} in progress`]
        : [`a ${inProgress.operation} in progress, which cannot be saved`];
  const counted = losses
    .filter(([count]) => count > 0)
    .map(([count, noun, where]) => `${count} ${noun}${count === 1 ? '' : 's'}${where}`);
  return [...counted, ...operation];
}

function refusal({ name }: WorktreeRow, { counts, ...lost }: CountedRisk, losses: readonly string[]): ConsoleError {
  const { leftOut: count } = counts;
  const files = count === 1 ? 'file' : 'files';
  const unsavable = count === 0 ? '' : ` ${count} ${files} cannot be saved: ${listNames(lost.leftOut, count)}.`;
  const advice =
    'Commit or push this work, or retry with `force`, which saves for 30 days everything that can be saved.';
  return new ConsoleError('CONFLICT', `Worktree ${name} has ${losses.join(', ')}.${unsavable} ${advice}`, { lost });
}

/** Returns warnings about content of the worktree that is lost, because removing the worktree does not save it. */
function unsavedWarnings({ ignored, inProgress, counts }: CountedRisk): string[] {
  const unsaved = ignored.filter(({ saved }) => !saved).map(({ path }) => path);
  const { unsavedIgnored: count } = counts;
  return [
    ...(count === 0 ? [] : [`Files that git ignores are not saved: ${listNames(unsaved, count)}.`]),
    ...(inProgress?.saved === false ? [`A ${inProgress.operation} was in progress and is not saved.`] : []),
  ];
}

/** Runs the repository's cleanup command. Returns a warning if it fails. */
async function cleanUp(
  host: OperationContext['host'],
  repository: RepositoryRow,
  worktree: WorktreeRow,
): Promise<string[]> {
  const { cleanupCommand: command } = repository;
  if (command === null || !(await host.isPresent(worktree))) return [];
  const env = commandEnvironment(host.environment);
  const end = await host.runCommand(worktree, { command, env, limitMs: COMMAND_LIMIT_MS });
  return end.exitCode === 0 ? [] : [`The cleanup command of the repository failed: ${end.output.trim().slice(-500)}`];
}

/**
 * Whether the worktree may be removed. In state `removing`, an earlier removal was interrupted and must be repeated.
 */
function isRemovable({ state }: WorktreeRow): boolean {
  return state === 'ready' || state === 'removing';
}

/**
 * Removes a worktree whose folder is gone. If its HEAD was detached, no branch contains its commit, so the commit is
 * saved in a recovery ref.
 */
async function removeMissing(
  { storage, git }: OperationContext,
  call: Call,
  worktree: WorktreeRow,
  repository: RepositoryRow,
): Promise<OutputOf<'worktrees.remove'>> {
  const recoveryRef = await git.saveHead({ repository, worktree }, basename(worktree.path));
  await setState(storage, call, worktree, 'removing', { recoveryRef });
  const row = await finishRemoval({ storage, git }, authorOf(call), worktree, repository);
  const exists = row.branch !== null && (await git.branchExists(repository, row.branch));
  const fate = exists ? `The branch ${row.branch} remains.` : `The branch ${row.branch} is gone too.`;
  const branch = row.branch === null ? '' : ` ${fate}`;
  const gone = `The folder ${row.path} of the worktree was already gone`;
  const saved =
    recoveryRef === null
      ? `${gone}, so nothing was saved.`
      : `${gone}, so only the current commit of the worktree was saved.`;
  const warnings = [`${saved}${branch}`];
  return { worktree: await worktreeView(storage.read, row), recoveryRef, lost: NO_RISK, leftOut: [], warnings };
}

/**
 * Returns the folder that git would have to read to save the worktree, but can no longer read: that of the repository
 * or of the worktree. Returns null if git can read both, or if only the worktree's folder is gone.
 */
async function unreadableFolder(
  { git, host }: OperationContext,
  worktree: WorktreeRow,
  repository: RepositoryRow,
): Promise<string | null> {
  const { path, branch } = worktree;
  for (const folder of (await host.isPresent(worktree)) ? [repository.path, path] : [repository.path]) {
    const error: unknown = await git.gitDir({ repository, worktree: { path: folder, branch } }).catch((e) => e);
    if (error instanceof ConsoleError && error.code === 'NOT_FOUND') return folder;
  }
  return null;
}

/**
 * Stores that a worktree is removed, but keeps its folder, because git cannot save it. If git can read it again later,
 * the console adopts it.
 */
async function forgetWorktree(
  { storage, git, host }: OperationContext,
  call: Call,
  worktree: WorktreeRow,
  repository: RepositoryRow,
  unreadable: string,
): Promise<OutputOf<'worktrees.remove'>> {
  const { id: worktreeId, path } = worktree;
  const row = await storage.write(authorOf(call), async (tx) => {
    const current = await worktreeRow(tx.worktrees, worktreeId);
    if (!isRemovable(current)) throw notReady(current);
    await refuseLiveSessions(tx, worktree);
    const recoveryRef = current.state === 'removing' ? current.recoveryRef : null;
    await tx.worktrees.update(worktreeId, { state: 'removed', recoveryRef });
    const subject = { kind: 'worktree', id: worktreeId } as const;
    await tx.record({ type: 'worktree.removed', subject, data: { worktreeId, recoveryRef } });
    return worktreeRow(tx.worktrees, worktreeId);
  });
  const fate = (await host.isPresent(worktree))
    ? `Nothing was deleted: its files remain in ${path}.`
    : `The folder ${path} of the worktree was already gone.`;
  const { recoveryRef } = row;
  const what = recoveryRef === null ? 'nothing' : 'nothing more';
  // git does not free the branch of a worktree by itself, even if it can no longer use the worktree's folder.
  const entries = unreadable === repository.path ? [] : await git.listWorktrees(repository).catch(() => []);
  const holdsBranch = entries.some((entry) => entry.path === path && entry.prunable && entry.branch !== null);
  const advice = holdsBranch ? ` Run git worktree prune in ${repository.path} to free its branch.` : '';
  const warnings = [`git can no longer read ${unreadable}, so ${what} was saved. ${fate}${advice}`];
  return { worktree: await worktreeView(storage.read, row), recoveryRef, lost: NO_RISK, leftOut: [], warnings };
}

function setState(
  storage: Storage,
  call: Call,
  worktree: WorktreeRow,
  state: 'removing' | 'ready',
  also: { recoveryRef?: string | null } = {},
): Promise<void> {
  return storage.write(authorOf(call), async (tx) => {
    const current = await worktreeRow(tx.worktrees, worktree.id);
    if (!isRemovable(current)) throw notReady(current);
    if (state === 'removing') await refuseLiveSessions(tx, worktree);
    await tx.worktrees.update(worktree.id, { state, ...also });
    await recordWorktree(tx, worktree.id, { state });
  });
}

interface RemovalOptions {
  /** Whether to remove the worktree even if it has content that `lossesOf` describes. */
  force: boolean;
  /**
   * Throws if the worktree must be kept because of this content. Not called if the folder of the worktree is gone. If
   * git cannot read the folder, the worktree is kept.
   */
  refuse?: (risk: CountedRisk) => void;
}

/**
 * Removes a managed worktree, and saves its content in a recovery ref.
 * @throws UNSUPPORTED for a worktree that the console did not create. CONFLICT if it is not ready, a session in it is
 * live, or its content would be lost and `force` is false.
 */
export async function removeWorktree(
  context: OperationContext,
  call: Call,
  worktreeId: string,
  options: RemovalOptions,
): Promise<OutputOf<'worktrees.remove'>> {
  const worktree = await worktreeRow(context.storage.read.worktrees, worktreeId);
  if (worktree.kind !== 'managed') {
    throw new ConsoleError(
      'UNSUPPORTED',
      worktree.kind === 'main'
        ? "This is the repository's main checkout, which cannot be removed."
        : 'This worktree was not created by the console. Remove it with `git worktree remove`.',
      { worktreeId },
    );
  }
  return context.maker.alone(removalOf(worktreeId), () => removeManaged(context, call, worktreeId, options));
}

async function removeManaged(
  context: OperationContext,
  call: Call,
  worktreeId: string,
  { force, refuse }: RemovalOptions,
): Promise<OutputOf<'worktrees.remove'>> {
  const { storage, git, host } = context;
  const worktree = await worktreeRow(storage.read.worktrees, worktreeId);
  if (!isRemovable(worktree)) throw notReady(worktree);
  const repository = await repositoryRow(storage.read.repositories, worktree.repositoryId);
  const { state, recoveryRef } = worktree;
  const unreadable = await unreadableFolder(context, worktree, repository);
  if (unreadable !== null) {
    const isUnknown = refuse !== undefined && (await host.isPresent(worktree));
    if (force && !isUnknown) return forgetWorktree(context, call, worktree, repository, unreadable);
    throw new ConsoleError(
      'CONFLICT',
      `Worktree ${worktree.name} cannot be saved, because git can no longer read ${unreadable}. Restore that folder, or remove the worktree with \`force\`, which keeps the files in ${worktree.path}.`,
      { worktreeId, unreadable },
    );
  }
  if (!(await host.isPresent(worktree))) {
    if (state !== 'removing' || recoveryRef === null) {
      return removeMissing(context, call, worktree, repository);
    }
    const row = await finishRemoval({ storage, git }, authorOf(call), worktree, repository);
    return { worktree: await worktreeView(storage.read, row), recoveryRef, lost: NO_RISK, leftOut: [], warnings: [] };
  }
  // The answer and the list of worktrees show the status that the removal ends with. Whatever takes long must be before
  // the search for losses, because a file that is created later may be lost.
  await refreshGitStatus(context, worktreeId).catch(() => null);
  const checkout = { repository, worktree };
  const risk = await git.removalRisk(checkout);
  refuse?.(risk);
  const losses = lossesOf(risk);
  if (losses.length > 0 && !force) throw refusal(worktree, risk, losses);
  // Nothing can start in a worktree in state `removing`, so its content no longer changes.
  await setState(storage, call, worktree, 'removing');
  const warnings = unsavedWarnings(risk);
  let saved: { ref: string; leftOut: string[] };
  let row: WorktreeRow;
  try {
    saved = await git.saveRecovery(checkout, basename(worktree.path));
    await storage.write(authorOf(call), (tx) => tx.worktrees.update(worktreeId, { recoveryRef: saved.ref }));
    warnings.push(...(await cleanUp(host, repository, worktree)));
    row = await finishRemoval({ storage, git }, authorOf(call), worktree, repository);
  } catch (error) {
    if (await host.isPresent(worktree)) {
      await retryWhileBusy(() => setState(storage, call, worktree, 'ready')).catch((cause) =>
        context.onError(cause, { worktreeId }),
      );
    }
    throw error;
  }
  const { ref, leftOut } = saved;
  const { counts: _, ...lost } = risk;
  return { worktree: await worktreeView(storage.read, row), recoveryRef: ref, lost, leftOut, warnings };
}

function notRestorable({ id: worktreeId, name, state, branch, recoveryRef }: WorktreeRow): ConsoleError {
  const message =
    state === 'removed'
      ? `Nothing was saved when worktree ${name} was removed, because git could not read its folder or its repository. Create a new worktree from its branch ${branch ?? ''}`
      : `Worktree ${name} is in state ${state}; only a removed worktree can be restored. If the folder of the worktree is gone, remove the worktree and create a new one from its branch ${branch ?? ''}`;
  return new ConsoleError('CONFLICT', `${message.trimEnd()}.`, { worktreeId, state, recoveryRef });
}

/** @throws CONFLICT for a worktree that is not removed or has no recovery ref. */
function requireRestorable(worktree: WorktreeRow): WorktreeRow & { recoveryRef: string } {
  const { state, recoveryRef } = worktree;
  if (state !== 'removed' || recoveryRef === null) throw notRestorable(worktree);
  return { ...worktree, recoveryRef };
}

/**
 * Sets the state `restoring`, so that the worktree is restored only once, and its folder is not adopted as another
 * worktree in the meantime.
 * @param branch the branch on which the worktree was when it was removed; null for a detached HEAD.
 */
async function claimRestore(tx: Transaction, worktreeId: string, branch: string | null) {
  const { repositoryId, path, name } = requireRestorable(await worktreeRow(tx.worktrees, worktreeId));
  const holder =
    (branch === null
      ? undefined
      : await tx.worktrees.first({ repositoryId, branch, state: PRESENT_STATES, kind: ['managed', 'adopted'] })) ??
    (await tx.worktrees.first({ path, state: PRESENT_STATES }));
  if (holder !== undefined) {
    throw new ConsoleError(
      'CONFLICT',
      `Worktree ${name} cannot be restored, because its ${branch === null ? '' : `branch ${branch} or its `}folder is now used by worktree ${holder.name}. Remove worktree ${holder.name} first.`,
      { worktreeId, branch, path: holder.path },
    );
  }
  await tx.worktrees.update(worktreeId, { state: 'restoring', branch });
}

function restoreWorktree(context: OperationContext): Implementation<'worktrees.restore'> {
  const { storage, git } = context;
  return async ({ worktreeId }, call) => {
    const worktree = requireRestorable(await worktreeRow(storage.read.worktrees, worktreeId));
    const repository = await repositoryRow(storage.read.repositories, worktree.repositoryId);
    const { recoveryRef } = worktree;
    const branch = await git.recoveryBranch(repository, recoveryRef);
    await storage.write(authorOf(call), (tx) => claimRestore(tx, worktreeId, branch));
    const { sha, warnings } = await git.restoreWorktree({ repository, worktree }, recoveryRef).catch(async (error) => {
      const before = { state: 'removed' as const, branch: worktree.branch };
      await retryWhileBusy(() => storage.write(authorOf(call), (tx) => tx.worktrees.update(worktreeId, before)));
      throw error;
    });
    // The worktree exists already, but nothing could use it if it stayed `restoring`. So storing the new state is
    // retried while the database is busy.
    const stored = await retryWhileBusy(() =>
      storage.write(authorOf(call), async (tx) => {
        await tx.worktrees.update(worktreeId, { state: 'ready', currentSha: sha, gitStatus: null });
        const subject = { kind: 'worktree', id: worktreeId } as const;
        await tx.record({ type: 'worktree.restored', subject, data: { worktreeId, branch } });
        return worktreeRow(tx.worktrees, worktreeId);
      }),
    );
    const row = await refreshGitStatus(context, worktreeId).catch(() => null);
    return { ...(await worktreeView(storage.read, row ?? stored)), warnings };
  };
}

export function worktreeRemoval(context: OperationContext) {
  return {
    'worktrees.remove': ({ worktreeId, force }, call) => removeWorktree(context, call, worktreeId, { force }),
    'worktrees.restore': restoreWorktree(context),
  } satisfies Partial<Implementations>;
}
