import { notFound } from '@agent-console/shared/errors';
import type { CheckResult } from '@agent-console/shared/models/check-result';
import type { Session } from '@agent-console/shared/models/session';
import { type Task, TaskOutcome } from '@agent-console/shared/models/task';
import { isLive } from '@agent-console/shared/session-badge';
import * as v from 'valibot';
import { modeApplies } from '../domain/permission-mode.ts';
import { isPausedWhenIdle, statusOf } from '../domain/session-mark.ts';
import { LIVE_WORKER } from '../domain/states.ts';
import { ACTIVE_STATUSES } from '../domain/tasks.ts';
import type { AgentCatalogue } from '../engine/agents/catalogue.ts';
import { checkOf } from '../engine/integrations/check.ts';
import { isKeptRunning } from '../engine/maintenance/idle-sessions.ts';
import { cutTask, presentSessionTask, presentTask, presentWorker } from '../engine/present.ts';
import { childrenOf } from '../engine/sessions/genealogy.ts';
import { workSummaryOf, worktreeView } from '../engine/worktrees/git-status.ts';
import type { EventHub } from '../ports/events.ts';
import type { SessionRow, TaskRow, WorkerRow, WorktreeRow } from '../ports/rows.ts';
import type { Storage } from '../ports/storage.ts';
import type { OutputStreams } from '../ports/terminals.ts';

/**
 * Sessions and tasks in the form that callers receive. A session is cached until an event about the session is
 * recorded.
 */
export interface Views {
  session(id: string): Promise<Session>;
  sessions(ids: readonly string[]): Promise<Session[]>;
  liveSessionIds(): Promise<string[]>;
  /** Returns the tasks of one session, oldest first. Long summaries are cut. */
  tasksOf(sessionId: string): Promise<Task[]>;
  task(row: TaskRow): Promise<Task>;
}

export interface CachedViews extends Views {
  /**
   * Removes a session from the cache. To be called if its rows changed without an event, for example when a worker
   * becomes `starting`.
   */
  invalidate(sessionId: string): void;
}

/**
 * Returns the outcome of a child session or fork: the outcome of its last task. Null for other sessions, and while the
 * session has work left or its mark is not `open`.
 */
function outcomeOf(
  row: SessionRow,
  last: TaskRow | undefined,
  { active, queued }: { active: boolean; queued: number },
): TaskOutcome | null {
  const hasOrigin = row.parentSessionId !== null || row.forkedFromSessionId !== null;
  const isDone = row.mark === 'open' && !active && (queued === 0 || row.queueHeld);
  if (!hasOrigin || !isDone || last === undefined) return null;
  return v.is(TaskOutcome, last.status) ? last.status : null;
}

/**
 * Filter for the approvals that ask whether a session may exceed its used-up budget. An approval about the budget of an
 * orchestration is left out, because it is not about a single session.
 */
const budgetQuestion = { state: 'pending', kind: 'budget', orchestrationId: null } as const;

/** Whether a session names another one as its parent, its original or the source of its task. */
function refersTo({ genealogy, task }: Session, id: string): boolean {
  return genealogy.parentSessionId === id || genealogy.forkedFromSessionId === id || task?.source.id === id;
}

interface CacheEntry {
  loading: Promise<Session>;
  /** Undefined until loading has finished. */
  session?: Session;
}

export function createViews({
  storage,
  hub,
  streams,
  catalogue,
}: {
  storage: Pick<Storage, 'read'>;
  hub: Pick<EventHub, 'onEvents'>;
  streams: Pick<OutputStreams, 'offset'>;
  catalogue: Pick<AgentCatalogue, 'resumes' | 'driverOf'>;
}): CachedViews {
  const { read } = storage;
  const cache = new Map<string, CacheEntry>();
  /** Ids of cached sessions by worktree. */
  const sessionsByWorktree = new Map<string, Set<string>>();
  let live: Promise<string[]> | undefined;

  hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      if (event.subject.kind === 'worktree') invalidateWorktree(event.subject.id);
      if (sessionId !== null) cache.delete(sessionId);
      if (event.type === 'session.removed' && sessionId !== null) invalidateReferrers(sessionId);
      for (const origin of [event.data.parentSessionId, event.data.forkedFromSessionId]) {
        if (typeof origin === 'string') cache.delete(origin);
      }
      if (/^(worker|session)\./.test(event.type)) live = undefined;
    }
  });

  function invalidateWorktree(worktreeId: string): void {
    for (const id of sessionsByWorktree.get(worktreeId) ?? []) cache.delete(id);
    sessionsByWorktree.delete(worktreeId);
  }

  /**
   * Removes the sessions that contain the id of a removed session from the cache: its children and forks, and the
   * sessions that it prompted. Also removes sessions that are still loading, because they might contain the id.
   */
  function invalidateReferrers(removedId: string): void {
    for (const [id, { session }] of cache) {
      if (session === undefined || refersTo(session, removedId)) cache.delete(id);
    }
  }

  /** Returns the id of a session; null if the session was removed. */
  async function unlessRemoved(id: string | null): Promise<string | null> {
    return id !== null && (await read.sessions.get(id))?.removedAt === null ? id : null;
  }

  /** Returns the task without the id of its source if this is a removed session. */
  async function withSource<T extends Pick<Task, 'source'>>(task: T): Promise<T> {
    const { kind, id } = task.source;
    return kind === 'session' ? { ...task, source: { kind, id: await unlessRemoved(id) } } : task;
  }

  /**
   * Returns the ids of the parent and of the original of a session, and of the tasks after which the session branched
   * off. The ids of a removed session and of its task are null.
   */
  async function originOf(row: SessionRow): Promise<Omit<Session['genealogy'], 'children'>> {
    const parentSessionId = await unlessRemoved(row.parentSessionId);
    const forkedFromSessionId = await unlessRemoved(row.forkedFromSessionId);
    return {
      parentSessionId,
      forkedFromSessionId,
      spawnPointTaskId: parentSessionId === null ? null : row.spawnPointTaskId,
      forkPointTaskId: forkedFromSessionId === null ? null : row.forkPointTaskId,
    };
  }

  async function isReclaimable(row: SessionRow, workers: WorkerRow[]): Promise<boolean> {
    if (!isPausedWhenIdle(row)) return false;
    const agent = workers.find(({ type, state }) => type === 'agent' && state === 'running');
    return agent?.activityState === 'idle' && isKeptRunning(read, row.id, agent.activitySince);
  }

  async function gitStateOf(row: WorktreeRow): Promise<Session['gitState']> {
    const { gitStatus } = await worktreeView(read, row);
    const work = gitStatus === null ? null : workSummaryOf(gitStatus);
    return {
      worktreeState: row.state,
      ref: row.branch,
      baseSha: row.baseSha,
      currentSha: row.currentSha,
      changes: gitStatus?.changes ?? null,
      work,
    };
  }

  /** Returns the session's blocked prompt and the reason why it cannot be typed yet; null if no prompt is blocked. */
  async function heldOf(sessionId: string, active: readonly TaskRow[], queued: number): Promise<Session['held']> {
    // Only the first task of the queue can be blocked. A task that was moved down may still have an earlier reason.
    const first = { sessionId, status: 'queued' } as const;
    const task =
      active.find((each) => each.blocked !== null) ??
      (queued === 0 ? undefined : await read.tasks.first(first, { order: ['position'] }));
    if (task === undefined || task.blocked === null) return null;
    return { taskId: task.id, reason: task.blocked, since: task.startedAt ?? task.createdAt };
  }

  async function load(id: string): Promise<Session> {
    const row = await read.sessions.get(id);
    if (row === undefined || row.removedAt !== null) throw notFound('Session', id);
    const workers = await read.workers.find({ sessionId: id });
    const agent = workers.find((worker) => worker.type === 'agent' && isLive(worker));
    const children = await childrenOf(read, id);
    const active = await read.tasks.find({ sessionId: id, status: [...ACTIVE_STATUSES] });
    const queued = await read.tasks.count({ sessionId: id, status: 'queued' });
    const task =
      active.find(({ kind }) => kind === 'prompt') ??
      (await read.tasks.first({ sessionId: id, kind: 'prompt' }, { order: ['-startedAt'] }));
    if (row.worktreeId !== null)
      sessionsByWorktree.set(row.worktreeId, (sessionsByWorktree.get(row.worktreeId) ?? new Set()).add(id));
    const resumes = await catalogue.resumes(row.agentId);
    const worktree = row.worktreeId === null ? undefined : await read.worktrees.get(row.worktreeId);
    return {
      id: row.id,
      type: row.type,
      worktreeId: row.worktreeId,
      orchestrationId: row.orchestrationId,
      repositoryId: row.repositoryId,
      cwd: row.cwd,
      agentId: row.agentId,
      driver: await catalogue.driverOf(row.agentId),
      title: row.title,
      description: row.description,
      labels: row.labels,
      status: statusOf(row, active),
      permissionConfig: {
        mode: row.permissionMode,
        requestedMode: row.requestedMode,
        applies: modeApplies(row.permissionMode, agent === undefined ? null : { mode: agent.permissionMode }, resumes),
        ceiling: row.permissionCeiling,
        allowedTools: [],
      },
      genealogy: { ...(await originOf(row)), children: children.map((child) => child.id) },
      depth: row.depth,
      createdByUserId: row.createdByUserId,
      visibility: row.visibility,
      createdBySessionId: row.createdBySessionId,
      viaSessionId: row.viaSessionId,
      gitState: worktree === undefined ? null : await gitStateOf(worktree),
      workers: workers.map(presentWorker),
      task: task === undefined ? null : await withSource(presentSessionTask(task)),
      outcome: outcomeOf(row, task, { active: active.length > 0, queued }),
      queued,
      held: await heldOf(id, active, queued),
      overBudgetSince: (await read.approvals.first({ ...budgetQuestion, sessionId: id }))?.createdAt ?? null,
      resumable: !row.begun || resumes,
      reclaimable: active.length === 0 && queued === 0 && (await isReclaimable(row, workers)),
      messageCount: row.messageCount,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      archivedAt: row.archivedAt,
    };
  }

  /** Returns the cache entry of a session, and starts loading a session that is not cached. */
  function cached(id: string): CacheEntry {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const entry: CacheEntry = { loading: load(id) };
    cache.set(id, entry);
    entry.loading.then(
      (session) => {
        entry.session = session;
      },
      () => cache.delete(id),
    );
    return entry;
  }

  /**
   * Returns the session with current log offsets. A cached session may have older offsets, because output that is added
   * to a log does not invalidate the cache.
   */
  function withLogOffsets(session: Session): Session {
    if (!session.workers.some(isLive)) return session;
    const workers = session.workers.map((worker) => {
      const logOffset = isLive(worker) ? streams.offset(worker.id) : undefined;
      return logOffset === undefined ? worker : { ...worker, logOffset };
    });
    return { ...session, workers };
  }

  async function session(id: string): Promise<Session> {
    return withLogOffsets(await cached(id).loading);
  }

  /**
   * Returns the sessions. If all of them are cached, returns them at once, because awaiting one promise per session
   * would slow down long lists.
   */
  async function sessions(ids: readonly string[]): Promise<Session[]> {
    const entries = ids.map(cached);
    const loaded = entries.map((entry) => entry.session);
    const all = loaded.every((one) => one !== undefined)
      ? loaded
      : await Promise.all(entries.map((entry) => entry.loading));
    return all.map(withLogOffsets);
  }

  async function loadLive(): Promise<string[]> {
    const workers = await read.workers.find(LIVE_WORKER);
    const ids = [...new Set(workers.map((worker) => worker.sessionId))];
    if (ids.length === 0) return [];
    return read.sessions.ids({ id: ids, archivedAt: null, removedAt: null }, { order: ['-id'] });
  }

  /**
   * Returns the result of the check of the worktree's current commit, with the task that is presumed to have made this
   * commit: the newest prompt that was started. Null if the commit was not checked, or if no prompt was started.
   */
  async function checkedTask(sessionId: string): Promise<{ taskId: string; check: CheckResult } | null> {
    const session = await read.sessions.get(sessionId);
    const worktree = session?.worktreeId == null ? undefined : await read.worktrees.get(session.worktreeId);
    if (worktree?.currentSha == null) return null;
    const check = await checkOf(read, worktree.repositoryId, worktree.currentSha);
    if (check === null) return null;
    const started = { sessionId, kind: 'prompt', startedAt: { not: null } } as const;
    const task = await read.tasks.first(started, { order: ['-startedAt'] });
    return task === undefined ? null : { taskId: task.id, check };
  }

  async function tasksOf(sessionId: string): Promise<Task[]> {
    const rows = await read.tasks.find({ sessionId });
    const queued = rows.filter((row) => row.status === 'queued').sort((a, b) => a.position - b.position);
    const checked = await checkedTask(sessionId);
    const tasks = rows.map((row) => {
      const task = cutTask(presentTask(row, row.status === 'queued' ? queued.indexOf(row) + 1 : null));
      return checked?.taskId === row.id ? { ...task, check: checked.check } : task;
    });
    return Promise.all(tasks.map(withSource));
  }

  return {
    session,
    sessions,
    liveSessionIds() {
      if (live === undefined) {
        live = loadLive();
        live.catch(() => {
          live = undefined;
        });
      }
      return live;
    },
    tasksOf,
    invalidate(sessionId) {
      cache.delete(sessionId);
      live = undefined;
    },
    async task(row) {
      if (row.status !== 'queued') {
        const checked = row.kind === 'prompt' ? await checkedTask(row.sessionId) : null;
        const check = checked?.taskId === row.id ? { check: checked.check } : {};
        return withSource({ ...presentTask(row, null), ...check });
      }
      const before = await read.tasks.count({
        sessionId: row.sessionId,
        status: 'queued',
        position: { below: row.position },
      });
      return withSource(presentTask(row, before + 1));
    },
  };
}
