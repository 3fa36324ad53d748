import type { CheckResult } from '@agent-console/shared/models/check-result';
import type { GitStatus, WorkSummary } from '@agent-console/shared/models/git-status';
import type { Worktree } from '@agent-console/shared/models/worktree';
import type { Git } from '../../ports/git.ts';
import type { WorktreeCheckRow, WorktreeRow } from '../../ports/rows.ts';
import type { Readers, Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import { presentWorktree } from '../present.ts';
import { baseOf } from './base.ts';

interface Needs {
  storage: Storage;
  git: Git;
  now: () => Date;
}

/**
 * Computes how a worktree's work compares with its base, and stores the result with the worktree's current commit.
 * Records an event if anything but the time changed. Returns the updated row; its `branch` is the branch that is
 * checked out now, which is not stored. Returns null if the worktree is not ready.
 */
export async function refreshGitStatus({ storage, git, now }: Needs, worktreeId: string): Promise<WorktreeRow | null> {
  const worktree = await storage.read.worktrees.get(worktreeId);
  if (worktree?.state !== 'ready') return null;
  const repository = await storage.read.repositories.get(worktree.repositoryId);
  if (repository === undefined) return null;
  const base = await baseOf(git, repository, worktree);
  const work = { base, start: worktree.baseSha };
  const { branch, ...compared } = await git.compareWithBase({ repository, worktree }, work);
  const { head, baseHead } = compared;
  const gitStatus = { ...compared, base: baseHead === null ? null : base, computedAt: now().toISOString() };
  return storage.write(SYSTEM, async (tx) => {
    const before = await tx.worktrees.get(worktreeId);
    if (before?.state !== 'ready') return null;
    await tx.worktrees.update(worktreeId, { gitStatus, currentSha: head });
    if (!isSame(before, gitStatus)) {
      const data = { worktreeId, currentSha: head };
      await tx.record({ type: 'worktree.updated', subject: { kind: 'worktree', id: worktreeId }, data });
    }
    return { ...before, gitStatus, currentSha: head, branch };
  });
}

function isSame({ gitStatus, currentSha }: WorktreeRow, fresh: NonNullable<WorktreeRow['gitStatus']>): boolean {
  const comparable = (status: WorktreeRow['gitStatus']) => JSON.stringify({ ...status, computedAt: null });
  return currentSha === fresh.head && comparable(gitStatus) === comparable(fresh);
}

/** Converts an ended run of the check command to the form that callers receive. */
export function presentCheck(row: WorktreeCheckRow): CheckResult {
  const { commit, clean, state, exitCode, workerId, createdAt } = row;
  const endedAt = row.endedAt ?? createdAt;
  const durationMs = Date.parse(endedAt) - Date.parse(createdAt);
  return { commit, clean, passed: state === 'passed', exitCode, durationMs, workerId, endedAt };
}

/**
 * Returns worktrees in the form that callers receive, with their stored git status and the checks of their current
 * commits.
 */
export async function worktreeViews(
  { worktreeChecks }: Pick<Readers, 'worktreeChecks'>,
  rows: readonly WorktreeRow[],
): Promise<Worktree[]> {
  const commits = [...new Set(rows.flatMap(({ currentSha }) => currentSha ?? []))];
  const repositoryId = [...new Set(rows.map((row) => row.repositoryId))];
  const ended = { repositoryId, commit: commits, state: ['passed', 'failed'] } as const;
  const checks = commits.length === 0 ? [] : await worktreeChecks.find(ended);
  // Checks are sorted by age, so the newest check of a commit replaces the older ones.
  const byCommit = new Map(checks.map((row) => [`${row.repositoryId} ${row.commit}`, presentCheck(row)]));
  return rows.map((row) => presentWorktree(row, byCommit.get(`${row.repositoryId} ${row.currentSha}`) ?? null));
}

/** Returns the part of a git status that sessions show. */
export function workSummaryOf({ check, ...status }: GitStatus): WorkSummary {
  const { base, dirtyFiles, ahead, behind, merged } = status;
  const outcome = check === null ? null : check.passed ? 'passed' : 'failed';
  return { base, dirtyFiles, ahead, behind, merged, check: outcome };
}

export async function worktreeView(read: Pick<Readers, 'worktreeChecks'>, row: WorktreeRow): Promise<Worktree> {
  const [view] = await worktreeViews(read, [row]);
  if (view === undefined) throw new Error('worktreeViews returned no worktree');
  return view;
}
