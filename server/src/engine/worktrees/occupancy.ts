import { ConsoleError } from '@agent-console/shared/errors';
import type { SessionRow, WorkerRow, WorktreeRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';

/** Whether a folder is a worktree's folder or inside it. Both paths are absolute. */
function isInside(folder: string, { path }: Pick<WorktreeRow, 'path'>): boolean {
  return folder === path || folder.startsWith(`${path}/`);
}

/**
 * Returns the sessions in a worktree: those that reference the worktree, and quick sessions whose cwd is in the
 * worktree's folder.
 */
export async function sessionsIn(
  { sessions }: Pick<Readers, 'sessions'>,
  worktree: Pick<WorktreeRow, 'id' | 'path'>,
): Promise<SessionRow[]> {
  const named = await sessions.find({ worktreeId: worktree.id, removedAt: null });
  const candidates = await sessions.find({ type: 'quick', cwd: { startsWith: worktree.path }, removedAt: null });
  return [...named, ...candidates.filter(({ cwd }) => isInside(cwd, worktree))];
}

/**
 * Returns the sessions whose agents are in the middle of a turn in this worktree.
 * @param own session of the calling agent, which is skipped because the agent may be in a turn itself; undefined for a
 *   person
 */
async function midTurn(
  read: Pick<Readers, 'sessions' | 'workers'>,
  worktree: WorktreeRow,
  own: string | undefined,
): Promise<{ session: SessionRow; worker: WorkerRow }[]> {
  const sessions = (await sessionsIn(read, worktree)).filter(({ id }) => id !== own);
  if (sessions.length === 0) return [];
  const sessionId = sessions.map(({ id }) => id);
  const working = { sessionId, type: 'agent', state: 'running', activityState: ['active', 'asking'] } as const;
  const workers = await read.workers.find(working);
  return sessions.flatMap((session) => {
    const worker = workers.find((each) => each.sessionId === session.id);
    return worker === undefined ? [] : [{ session, worker }];
  });
}

/**
 * Returns a session in this worktree with a queued prompt, or with an agent that is in a turn and has not reported its
 * result; undefined if there is none. After its report, an agent may still write its last message.
 * @param own session of the calling agent, which is skipped; undefined for a person
 */
export async function sessionWithWork(
  read: Pick<Readers, 'sessions' | 'workers' | 'tasks'>,
  worktree: WorktreeRow,
  own: string | undefined,
): Promise<SessionRow | undefined> {
  const open = (await sessionsIn(read, worktree)).filter(({ id, archivedAt }) => id !== own && archivedAt === null);
  const sessionId = open.map(({ id }) => id);
  const queued = await read.tasks.first({ sessionId, kind: 'prompt', status: 'queued' });
  if (queued !== undefined) return open.find(({ id }) => id === queued.sessionId);
  for (const { session, worker } of await midTurn(read, worktree, own)) {
    const task = await read.tasks.first(
      { sessionId: session.id, startedAt: { not: null } },
      { order: ['-startedAt', '-id'] },
    );
    const isReported = task?.outcomeSource === 'report' && (task.endedAt ?? '') >= worker.activitySince;
    if (!isReported) return session;
  }
  return undefined;
}

/**
 * Refuses to change files of a worktree while an agent is in the middle of a turn in this worktree.
 * @param own session of the calling agent, which is skipped; undefined for a person
 * @throws CONFLICT
 */
export async function refuseMidTurn(
  read: Pick<Readers, 'sessions' | 'workers'>,
  worktree: WorktreeRow,
  own: string | undefined,
): Promise<void> {
  const [working] = await midTurn(read, worktree, own);
  if (working === undefined) return;
  const { session } = working;
  throw new ConsoleError(
    'CONFLICT',
    `An agent is working in worktree ${worktree.name}, so the console does not change files there now. Wait until the turn of the agent ends, or interrupt the agent.`,
    { worktreeId: worktree.id, ...(session.visibility === 'private' ? {} : { sessionId: session.id }) },
  );
}

/**
 * Rejects a folder in a worktree that is being created, restored or removed. @throws CONFLICT with the worktree's
 * state.
 */
export async function refuseUnsettled({ worktrees }: Pick<Readers, 'worktrees'>, folder: string): Promise<void> {
  const unsettled = await worktrees.find({ state: ['creating', 'removing', 'restoring'] });
  const enclosing = unsettled.find((worktree) => isInside(folder, worktree));
  if (enclosing !== undefined) throw notReady(enclosing);
}

/** Returns the error for a worktree that is not ready. The message says why it cannot be used, and what to do. */
export function notReady({ id: worktreeId, name, state }: WorktreeRow): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    `Worktree ${name} is in state ${state}, so it cannot be used now. ${ADVICE[state]}`,
    {
      worktreeId,
      state,
    },
  );
}

const ADVICE: Record<WorktreeRow['state'], string> = {
  creating: 'Wait until the worktree is ready.',
  restoring: 'Wait until the worktree is ready.',
  ready: 'Try again.',
  removing: 'Use another worktree, or wait until this worktree is removed, then restore it.',
  removed: 'Restore this worktree, or use another one.',
  failed: 'Use another worktree.',
};
