import { PULL_REQUEST_FRESH_MS, PULL_REQUEST_PAUSE_MAX_MS } from '@agent-console/shared/limits/commands';
import { LIVE_WORKER } from '../../domain/states.ts';
import type { WorktreeRow } from '../../ports/rows.ts';
import { SYSTEM } from '../changes/author.ts';
import { sessionsIn } from '../worktrees/occupancy.ts';
import { type PullRequestContext, readPullRequest } from './pull-request.ts';

/** Keeps the stored states of pull requests up to date while people view the worktrees or agents work in them. */
export interface PullRequestReader {
  /**
   * Reads the state of the worktree's pull request if the last read is old enough. The interval grows while the state
   * does not change. Callers need not wait: never rejects, and resolves at once if nothing is to be read.
   */
  refresh(worktree: Pick<WorktreeRow, 'id' | 'pullRequest' | 'state'>): Promise<void>;
  /** Like `refresh`, for the worktree of a session whose agent has worked. */
  refreshForSession(sessionId: string): Promise<void>;
  /** Like `refresh`, for all worktrees with a live session. Called at intervals of PULL_REQUEST_FRESH_MS. */
  refreshLive(): Promise<void>;
  /** Resolves when no read is running. No further reads start. */
  close(): Promise<void>;
}

type ReaderDeps = Pick<PullRequestContext, 'storage' | 'pullRequests' | 'now'> & {
  onError: (error: unknown, id: string) => void;
};

export function createPullRequestReader(deps: ReaderDeps): PullRequestReader {
  const { storage, now } = deps;
  const pauses = new Map<string, { until: number; pauseMs: number }>();
  const reading = new Map<string, Promise<void>>();
  let isClosed = false;

  async function read(id: string, url: string): Promise<void> {
    const found = await readPullRequest(deps, url);
    const changed = await storage.write(SYSTEM, async (tx) => {
      const row = await tx.worktrees.get(id);
      if (found === null || row?.pullRequest?.url !== url) return false;
      const { readAt: _, ...before } = row.pullRequest;
      const { readAt, ...after } = found;
      await tx.worktrees.update(id, { pullRequest: found });
      if (JSON.stringify(before) === JSON.stringify({ ...before, ...after })) return false;
      const subject = { kind: 'worktree', id } as const;
      await tx.record({ type: 'worktree.updated', subject, data: { worktreeId: id } });
      return true;
    });
    const last = pauses.get(id)?.pauseMs ?? PULL_REQUEST_FRESH_MS;
    const pauseMs = changed ? PULL_REQUEST_FRESH_MS : Math.min(2 * last, PULL_REQUEST_PAUSE_MAX_MS);
    pauses.set(id, { until: now().getTime() + pauseMs, pauseMs });
  }

  async function isLive(row: WorktreeRow): Promise<boolean> {
    const sessionId = (await sessionsIn(storage.read, row)).map(({ id }) => id);
    return sessionId.length > 0 && (await storage.read.workers.first({ sessionId, ...LIVE_WORKER })) !== undefined;
  }

  const reader: PullRequestReader = {
    async refresh({ id, pullRequest, state }) {
      if (isClosed || pullRequest === null || state !== 'ready' || reading.has(id)) return;
      const time = now().getTime();
      const until = pauses.get(id)?.until ?? Date.parse(pullRequest.readAt) + PULL_REQUEST_FRESH_MS;
      // A merged or closed pull request rarely changes, so its state is read less often.
      const isClosedOrMerged = pullRequest.state === 'merged' || pullRequest.state === 'closed';
      if (time < (isClosedOrMerged ? Date.parse(pullRequest.readAt) + PULL_REQUEST_PAUSE_MAX_MS : until)) return;
      const done = read(id, pullRequest.url)
        .catch((error) => deps.onError(error, id))
        .finally(() => reading.delete(id));
      reading.set(id, done);
      await done;
    },
    async refreshForSession(sessionId) {
      try {
        const session = await storage.read.sessions.get(sessionId);
        const worktree = session?.worktreeId == null ? undefined : await storage.read.worktrees.get(session.worktreeId);
        if (worktree !== undefined) await reader.refresh(worktree);
      } catch (error) {
        deps.onError(error, sessionId);
      }
    },
    async refreshLive() {
      try {
        const rows = await storage.read.worktrees.find({ pullRequest: { not: null }, state: 'ready' });
        await Promise.all(rows.map(async (row) => (await isLive(row)) && reader.refresh(row)));
      } catch (error) {
        deps.onError(error, 'live sessions');
      }
    },
    async close() {
      clearInterval(timer);
      isClosed = true;
      await sweep;
      await Promise.all(reading.values());
    },
  };
  let sweep = Promise.resolve();
  const timer = setInterval(() => {
    sweep = reader.refreshLive();
  }, PULL_REQUEST_FRESH_MS).unref();
  return reader;
}
