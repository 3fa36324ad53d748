import { DAY } from '@agent-console/shared/limits/units';
import { PRUNABLE_REFRESH_LIMIT_MS, PRUNE_AT_ONCE } from '@agent-console/shared/limits/worktrees';
import type { PruneReason } from '@agent-console/shared/models/prunable';
import { Semaphore } from 'async-mutex';
import { pruneReasons } from '../../domain/pruning.ts';
import { resumesForNotices, startsQueue } from '../../domain/session-mark.ts';
import { LIVE_WORKER } from '../../domain/states.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import type { RepositoryRow, SessionRow, WorktreeRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';
import type { EngineContext } from '../context.ts';
import { refreshGitStatus } from './git-status.ts';
import { sessionsIn } from './occupancy.ts';

type Needs = Pick<EngineContext, 'storage' | 'git' | 'now'>;

/** A worktree whose work is done, with the reasons why it counts as done and the sessions in it. */
export interface Prunable {
  worktree: WorktreeRow;
  reasons: PruneReason[];
  sessions: SessionRow[];
}

/** Whether any of the sessions has a live process, or work that will start a process. */
export async function isBusy(
  read: Pick<Readers, 'workers' | 'tasks'>,
  sessions: readonly SessionRow[],
): Promise<boolean> {
  const sessionId = sessions.map(({ id }) => id);
  if (sessionId.length === 0) return false;
  if ((await read.workers.first({ sessionId, ...LIVE_WORKER })) !== undefined) return true;
  if ((await read.tasks.first({ sessionId, status: ACTIVE_STATUSES })) !== undefined) return true;
  if ((await read.tasks.first({ sessionId, status: 'queued', kind: 'prompt' })) !== undefined) return true;
  // A queued prompt must not be lost. Queued notices matter only if a session will start for them.
  const starting = sessions.filter((each) => startsQueue(each) || resumesForNotices(each)).map(({ id }) => id);
  return (await read.tasks.first({ sessionId: starting, status: 'queued' })) !== undefined;
}

/**
 * Returns a worktree with its current git status. The status is not computed again if the worktree is clean, and its
 * HEAD and base have not moved.
 */
async function withCurrentStatus(needs: Needs, repository: RepositoryRow, row: WorktreeRow): Promise<WorktreeRow> {
  const { git } = needs;
  const { gitStatus } = row;
  if (gitStatus !== null && gitStatus.base !== null && gitStatus.dirtyFiles === 0) {
    const { currentSha, hasChanges } = await git.state({ repository, worktree: row });
    const isSame = !hasChanges && currentSha === gitStatus.head;
    if (isSame && (await git.tipOf(repository, gitStatus.base)) === gitStatus.baseHead) return row;
  }
  return (await refreshGitStatus(needs, row.id)) ?? row;
}

/**
 * Returns the managed worktrees of a repository that can be removed. Updates their git statuses for at most
 * PRUNABLE_REFRESH_LIMIT_MS, and uses the stored statuses of the remaining worktrees.
 */
export async function prunableWorktrees(
  needs: Needs,
  repository: RepositoryRow,
  archivedDays: number,
): Promise<Prunable[]> {
  const { storage, now } = needs;
  const start = now().getTime();
  const archivedBefore = new Date(start - archivedDays * DAY);
  const turns = new Semaphore(PRUNE_AT_ONCE);
  const rows = await storage.read.worktrees.find({ repositoryId: repository.id, state: 'ready', kind: 'managed' });
  const examine = async (row: WorktreeRow): Promise<Prunable[]> => {
    const sessions = await sessionsIn(storage.read, row);
    if (await isBusy(storage.read, sessions)) return [];
    const isLate = now().getTime() - start > PRUNABLE_REFRESH_LIMIT_MS;
    // For a worktree that cannot be read, for example because its folder is gone, the stored status is used.
    const worktree = isLate ? row : await withCurrentStatus(needs, repository, row).catch(() => row);
    const reasons = pruneReasons(worktree, sessions, archivedBefore);
    return reasons.length === 0 ? [] : [{ worktree, reasons, sessions }];
  };
  return (await Promise.all(rows.map((row) => turns.runExclusive(() => examine(row))))).flat();
}
