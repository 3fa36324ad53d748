import { ConsoleError } from '@agent-console/shared/errors';
import { CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import { DISK_USAGE_WAIT_MS, PRUNE_AT_ONCE } from '@agent-console/shared/limits/worktrees';
import type { PrunedWorktree } from '@agent-console/shared/models/prunable';
import type { InputOf } from '@agent-console/shared/operations/table';
import { listNames } from '@agent-console/shared/words';
import { Semaphore } from 'async-mutex';
import type { Call } from '../domain/call.ts';
import { pruneReasons } from '../domain/pruning.ts';
import { PRESENT_STATES } from '../domain/states.ts';
import { toStoredError } from '../engine/present.ts';
import { repositoryRow, worktreeRow } from '../engine/rows.ts';
import { baseOf } from '../engine/worktrees/base.ts';
import { refreshGitStatus } from '../engine/worktrees/git-status.ts';
import { notReady, sessionsIn } from '../engine/worktrees/occupancy.ts';
import { isBusy, type Prunable, prunableWorktrees } from '../engine/worktrees/prunable.ts';
import type { CountedRisk } from '../ports/git.ts';
import type { RepositoryRow, WorktreeRow } from '../ports/rows.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { slicePage } from './paging.ts';
import { refuseLiveSessions, removeWorktree } from './worktree-removal.ts';

/** This file lists worktrees whose work is done, and removes many of them with one call. */

/** Time in milliseconds after which a call starts no further removal, because each may take a few seconds. */
const START_UNTIL_MS = CALL_MAX_MS * 0.75;

function listPrunable(context: OperationContext): Implementation<'repositories.prunable'> {
  return async ({ repositoryId, archivedDays, ...page }) => {
    const repository = await repositoryRow(context.storage.read.repositories, repositoryId);
    const { data, ...rest } = slicePage(await prunableWorktrees(context, repository, archivedDays), page);
    const sizes = await sizesOf(context, data);
    return { ...rest, data: data.map((each, at) => present(each, sizes[at] ?? null)) };
  };
}

/**
 * Returns the sizes that could be measured within DISK_USAGE_WAIT_MS. The other sizes are null; they continue to be
 * measured, for a later call.
 */
async function sizesOf({ host }: OperationContext, list: readonly Prunable[]): Promise<(number | null)[]> {
  const sizes = list.map((): number | null => null);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DISK_USAGE_WAIT_MS);
  });
  const measured = list.map(async ({ worktree }, at) => {
    sizes[at] = await host.diskUsage(worktree);
  });
  await Promise.race([Promise.all(measured), late]);
  clearTimeout(timer);
  return [...sizes];
}

function present({ worktree, reasons, sessions }: Prunable, bytes: number | null) {
  const { id: worktreeId, name, branch, gitStatus } = worktree;
  const dirtyFiles = gitStatus?.dirtyFiles ?? 0;
  return { worktreeId, name, branch, reasons, dirtyFiles, bytes, sessionIds: sessions.map(({ id }) => id) };
}

/** A worktree that `pruneWorktrees` may remove. */
interface Candidate {
  worktree: WorktreeRow;
  /** Commit of the worktree's branch if the branch may be deleted too; null if the branch is kept. */
  deletable: string | null;
}

/**
 * Returns the worktree and the commit at which its branch may be deleted.
 * @throws CONFLICT if the worktree is not a managed worktree of the repository, if it is not ready or is in use, if its
 * work is not done, or, with `dryRun`, if its content cannot be saved. A worktree that was already removed is accepted
 * if its branch is to be deleted.
 */
async function requirePrunable(
  context: OperationContext,
  repository: RepositoryRow,
  { worktreeId, deleteBranches, dryRun }: PruneOptions,
): Promise<Candidate> {
  const { storage, git, host } = context;
  const row = await worktreeRow(storage.read.worktrees, worktreeId);
  const conflict = (message: string) => new ConsoleError('CONFLICT', message, { worktreeId });
  if (row.repositoryId !== repository.id) {
    throw conflict(`Worktree ${row.name} belongs to another repository. Pass the id of that repository.`);
  }
  if (row.kind !== 'managed') {
    throw conflict(`Worktree ${row.name} was not created by the console. Remove it with git worktree remove.`);
  }
  // If the console crashed after it had removed a worktree, the branch may still exist. A repeated call deletes it.
  if (row.state === 'removed' && deleteBranches) {
    // The row may name a recovery ref that was deleted. So the work counts as saved only if the ref exists and contains
    // the commit.
    const { recoveryRef, gitStatus } = row;
    const isSaved =
      recoveryRef !== null && gitStatus !== null && (await git.contains(repository, recoveryRef, gitStatus.head));
    return { worktree: row, deletable: await deletableTip(context, repository, row, isSaved) };
  }
  if (row.state !== 'ready') throw notReady(row);
  await refuseLiveSessions(storage.read, row);
  if (await isBusy(storage.read, await sessionsIn(storage.read, row))) {
    throw conflict(`Worktree ${row.name} has sessions whose tasks have not ended. Cancel these tasks first.`);
  }
  const isPresent = await host.isPresent(row);
  const worktree = (isPresent ? await refreshGitStatus(context, worktreeId) : null) ?? row;
  const sessions = await sessionsIn(storage.read, worktree);
  if (pruneReasons(worktree, sessions, context.now()).length === 0) {
    throw conflict(notPrunable(repository, worktree, { isPresent, hasSessions: sessions.length > 0 }));
  }
  // The removal itself searches for content that cannot be saved.
  if (dryRun && isPresent) refuseUnsavable(worktree, await git.removalRisk({ repository, worktree }));
  return { worktree, deletable: await deletableTip(context, repository, worktree, isPresent) };
}

/** @throws CONFLICT if a removal would not save all content of the worktree. */
function refuseUnsavable({ id, name }: WorktreeRow, { leftOut, inProgress, counts }: CountedRisk): void {
  if (leftOut.length === 0 && inProgress?.saved !== false) return;
  const content = leftOut.length > 0 ? listNames(leftOut, counts.leftOut) : `a ${inProgress?.operation}`;
  throw new ConsoleError(
    'CONFLICT',
    `Worktree ${name} has content that cannot be saved: ${content}. Instead of pruning, remove this worktree alone and force the removal.`,
    { worktreeId: id },
  );
}

/** Returns the error for a worktree whose work is not done, or of which nobody knows whether its work is merged. */
function notPrunable(
  { defaultBranch }: RepositoryRow,
  { name, gitStatus }: WorktreeRow,
  { isPresent, hasSessions }: { isPresent: boolean; hasSessions: boolean },
): string {
  const unknown = `It is unknown whether the work in worktree ${name} is merged, because`;
  const [problem, remedy] = !isPresent
    ? [`${unknown} its folder is missing`, 'Put the folder back']
    : gitStatus?.base == null
      ? [`${unknown} branch ${defaultBranch} no longer exists`, 'Set another default branch of the repository']
      : gitStatus.merged === null
        ? [`${unknown} there are too many changes to compare with ${gitStatus.base}`, 'Integrate the work']
        : [`Worktree ${name} has work that is not merged`, 'Integrate the work'];
  const advice = hasSessions
    ? `, and not all of its sessions are archived. ${remedy} or archive the sessions first`
    : `. ${remedy} first`;
  return `${problem}${advice}, or remove this worktree alone instead of pruning.`;
}

/**
 * Returns the commit at which the worktree's branch can be deleted without losing work; null if the branch must be
 * kept. Deleting loses no work if the base contains the branch's commits. If the branch was squashed into the base, a
 * recovery ref must contain the commits. The default branch, and a branch that is the base of another worktree, are
 * always kept.
 * @param isSaved whether a recovery ref contains the branch's commits, or will contain them once the worktree is
 * removed
 */
async function deletableTip(
  { storage, git }: OperationContext,
  repository: RepositoryRow,
  worktree: WorktreeRow,
  isSaved: boolean,
): Promise<string | null> {
  const { branch, gitStatus } = worktree;
  if (branch === null || gitStatus === null || branch === repository.defaultBranch) return null;
  const { head, merged } = gitStatus;
  const base = await baseOf(git, repository, worktree);
  if (base === branch || !(await git.branchExists(repository, base))) return null;
  const isContained = await git.contains(repository, await git.tipOf(repository, base), head);
  if (!isContained && !(merged && isSaved)) return null;
  const others = await storage.read.worktrees.find({ repositoryId: repository.id, state: PRESENT_STATES });
  const isBase = others.some(
    ({ id, baseRef }) => id !== worktree.id && baseRef?.replace(/^refs\/heads\//, '') === branch,
  );
  return isBase ? null : head;
}

function pruneWorktrees(context: OperationContext): Implementation<'repositories.prune'> {
  return async ({ repositoryId, worktreeIds, ...options }, call) => {
    const repository = await repositoryRow(context.storage.read.repositories, repositoryId);
    const start = performance.now();
    const turns = new Semaphore(PRUNE_AT_ONCE);
    const results = worktreeIds.map((worktreeId) =>
      turns.runExclusive(async () => {
        if (performance.now() - start < START_UNTIL_MS && !call.signal.aborted) {
          return prune(context, call, repository, { worktreeId, ...options });
        }
        return refused(
          worktreeId,
          'The call ended before this worktree could be removed. Call again with the remaining worktrees.',
        );
      }),
    );
    return { results: await Promise.all(results) };
  };
}

function refused(worktreeId: string, error: string): PrunedWorktree {
  return { worktreeId, removed: false, branchDeleted: false, recoveryRef: null, error, warnings: [] };
}

type PruneOptions = Pick<InputOf<'repositories.prune'>, 'deleteBranches' | 'dryRun'> & { worktreeId: string };

/**
 * Removes one worktree or, with `dryRun`, only checks whether this is possible. Returns an error in the result instead
 * of throwing it.
 */
async function prune(
  context: OperationContext,
  call: Call,
  repository: RepositoryRow,
  options: PruneOptions,
): Promise<PrunedWorktree> {
  const { worktreeId, deleteBranches, dryRun } = options;
  const result = refused(worktreeId, '');
  try {
    const { worktree, deletable } = await requirePrunable(context, repository, options);
    const branch = deleteBranches && deletable !== null ? worktree.branch : null;
    if (dryRun) return { ...result, removed: true, branchDeleted: branch !== null, error: null };
    if (worktree.state === 'removed') {
      Object.assign(result, { removed: true, recoveryRef: worktree.recoveryRef });
    } else {
      const { recoveryRef, warnings } = await removeWorktree(context, call, worktreeId, {
        force: true,
        refuse: (risk) => refuseUnsavable(worktree, risk),
      });
      Object.assign(result, { removed: true, recoveryRef, warnings });
    }
    if (branch !== null && deletable !== null) {
      await context.git.deleteBranch(repository, branch, deletable);
      result.branchDeleted = true;
    }
    return { ...result, error: null };
  } catch (error) {
    const { code, message } = toStoredError(error);
    if (code === 'INTERNAL') context.onError(error, { about: 'pruning', worktreeId });
    return { ...result, error: message };
  }
}

export function pruningOperations(context: OperationContext) {
  return {
    'repositories.prunable': listPrunable(context),
    'repositories.prune': pruneWorktrees(context),
  } satisfies Partial<Implementations>;
}
