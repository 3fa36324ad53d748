import { ConsoleError } from '@agent-console/shared/errors';
import { OVERLAP_SWEEP_MS } from '@agent-console/shared/limits/worktrees';
import type { EventType } from '@agent-console/shared/models/event';
import type { EngineContext } from '../context.ts';
import { refreshGitStatus } from './git-status.ts';

type Needs = Pick<EngineContext, 'storage' | 'git' | 'hub' | 'overlaps' | 'now'>;
/** Events after which the stored git status of a worktree may be outdated. */
const CHANGES_STATUS: ReadonlySet<EventType> = new Set([
  'integration.integrated',
  'integration.undone',
  'worktree.committed',
  'worktree.discarded',
  'worktree.discard_undone',
  'worktree.rebased',
  'worktree.pushed',
]);

type OnError = (error: unknown, about: Record<string, string>) => void;

/**
 * Keeps the git status and the overlaps of worktrees up to date. They are refreshed:
 * - when a task of a session ends or waits, because the agent may have committed
 * - when the console has integrated a branch or changed a worktree
 * - periodically while an agent works in a worktree
 */
export function refreshWorktrees(needs: Needs, onError: OnError): { close(): Promise<void> } {
  const { storage, hub, overlaps } = needs;
  const running = new Set<Promise<void>>();
  let isUnsupportedReported = false;

  /** Reports an error. An old git cannot compare worktrees at all, so that error is reported only once. */
  function report(error: unknown, about: Record<string, string>): void {
    if (error instanceof ConsoleError && error.code === 'UNSUPPORTED') {
      if (isUnsupportedReported) return;
      isUnsupportedReported = true;
    }
    onError(error, about);
  }

  /** Runs `work` in the background; `close` waits for it. */
  function start(work: Promise<void>, about: Record<string, string>): void {
    const done = work.catch((error) => report(error, about)).finally(() => running.delete(done));
    running.add(done);
  }

  async function refresh(worktreeId: string): Promise<void> {
    await refreshGitStatus(needs, worktreeId);
    await overlaps.refresh(worktreeId);
  }

  async function refreshSession(sessionId: string): Promise<void> {
    const session = await storage.read.sessions.get(sessionId);
    if (session?.worktreeId != null) await refresh(session.worktreeId);
  }

  async function refreshWorking(): Promise<void> {
    const workers = await storage.read.workers.find({ type: 'agent', state: 'running', activityState: 'active' });
    for (const { sessionId } of workers) {
      const session = await storage.read.sessions.get(sessionId);
      if (session?.worktreeId != null) await overlaps.refreshStale(session.worktreeId);
    }
  }

  const removeListener = hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      const isEndOfTurn = event.type === 'task.ended' || event.type === 'task.waiting';
      if (isEndOfTurn && sessionId !== null) start(refreshSession(sessionId), { sessionId });
      const { worktreeId } = event.data;
      if (CHANGES_STATUS.has(event.type) && typeof worktreeId === 'string') start(refresh(worktreeId), { worktreeId });
    }
  });
  const timer = setInterval(() => start(refreshWorking(), { about: 'overlaps' }), OVERLAP_SWEEP_MS).unref();
  return {
    async close() {
      removeListener();
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
