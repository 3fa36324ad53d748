import { notFound } from '@agent-console/shared/errors';
import type { Session, SessionStatus } from '@agent-console/shared/models/session';
import { type Task, TaskOutcome } from '@agent-console/shared/models/task';
import { isLive } from '@agent-console/shared/operations/session-views';
import * as v from 'valibot';
import { modeApplies } from '../domain/permission-mode.ts';
import { ACTIVE_STATUSES } from '../domain/tasks.ts';
import type { AgentCatalogue } from '../engine/agents/catalogue.ts';
import { childrenOf } from '../engine/genealogy.ts';
import { isKeptRunning } from '../engine/idle-sessions.ts';
import { cutTask, presentSessionTask, presentTask, presentWorker } from '../engine/present.ts';
import type { EventHub } from '../ports/events.ts';
import type { SessionRow } from '../ports/rows/sessions.ts';
import type { TaskRow } from '../ports/rows/tasks.ts';
import type { WorkerRow } from '../ports/rows/workers.ts';
import type { Storage } from '../ports/storage.ts';
import type { OutputStreams } from '../ports/terminals.ts';

/** Sessions and tasks as callers see them. Sessions are kept in memory until an event speaks of them. */
export interface Views {
  session(id: string): Promise<Session>;
  sessions(ids: readonly string[]): Promise<Session[]>;
  /** Sessions with a live worker, newest first; not archived ones. */
  liveSessionIds(): Promise<string[]>;
  /** Those of one session, oldest first, with the beginnings of their summaries. */
  tasksOf(sessionId: string): Promise<Task[]>;
  task(row: TaskRow): Promise<Task>;
}

/** Views with what they remember. */
export interface RememberedViews extends Views {
  /** Reads a session anew next time: its rows changed without an event, as when a worker is `starting`. */
  forget(sessionId: string): void;
}

function statusOf(row: SessionRow, active: readonly TaskRow[]): SessionStatus {
  const finishes = (row.mark === 'completed' || row.mark === 'failed') && active.length > 0;
  if (row.mark !== 'open' && !finishes) return row.mark;
  if (active.some((task) => task.status === 'running')) return 'running';
  return active.length > 0 ? 'awaiting_input' : 'idle';
}

/** How the work of a session ended that was begun by another one or as a copy of it; null while it has any. */
function outcomeOf(
  row: SessionRow,
  last: TaskRow | undefined,
  { active, queued }: { active: boolean; queued: number },
): TaskOutcome | null {
  const begun = row.parentSessionId !== null || row.forkedFromSessionId !== null;
  const atRest = row.mark === 'open' && !active && (queued === 0 || row.queueHeld);
  if (!begun || !atRest || last === undefined) return null;
  return v.is(TaskOutcome, last.status) ? last.status : null;
}

interface Remembered {
  loading: Promise<Session>;
  /** Set once it is loaded. */
  stored?: Session;
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
  catalogue: Pick<AgentCatalogue, 'resumes'>;
}): RememberedViews {
  const { read } = storage;
  const cache = new Map<string, Remembered>();
  /** Cached sessions by worktree. */
  const inWorktree = new Map<string, Set<string>>();
  let live: Promise<string[]> | undefined;

  hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      if (event.subject.kind === 'worktree') forgetWorktree(event.subject.id);
      if (sessionId !== null) cache.delete(sessionId);
      if (event.type === 'session.removed' && sessionId !== null) forgetBelow(sessionId);
      for (const above of [event.data.parentSessionId, event.data.forkedFromSessionId]) {
        if (typeof above === 'string') cache.delete(above);
      }
      if (/^(worker|session)\./.test(event.type)) live = undefined;
    }
  });

  function forgetWorktree(worktreeId: string): void {
    for (const id of inWorktree.get(worktreeId) ?? []) cache.delete(id);
    inWorktree.delete(worktreeId);
  }

  /** Sessions that name a removed one; those that are just being loaded may. */
  function forgetBelow(above: string): void {
    for (const [id, { stored }] of cache) {
      const { parentSessionId, forkedFromSessionId } = stored?.genealogy ?? { parentSessionId: above };
      if (parentSessionId === above || forkedFromSessionId === above) cache.delete(id);
    }
  }

  /** Where a session came from; a session that was removed, and its tasks with it, is not followed any more. */
  async function originOf(row: SessionRow): Promise<Omit<Session['genealogy'], 'children'>> {
    const present = async (id: string | null) =>
      id !== null && (await read.sessions.get(id))?.removedAt === null ? id : null;
    const parentSessionId = await present(row.parentSessionId);
    const forkedFromSessionId = await present(row.forkedFromSessionId);
    return {
      parentSessionId,
      forkedFromSessionId,
      spawnPointTaskId: parentSessionId === null ? null : row.spawnPointTaskId,
      forkPointTaskId: forkedFromSessionId === null ? null : row.forkPointTaskId,
    };
  }

  async function isReclaimable({ id, mark, parentSessionId }: SessionRow, workers: WorkerRow[]): Promise<boolean> {
    if (mark !== 'open' || parentSessionId === null) return false;
    const agent = workers.find(({ type, state }) => type === 'agent' && state === 'running');
    return agent?.activityState === 'idle' && isKeptRunning(read, id, agent.activitySince);
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
    if (row.worktreeId !== null) inWorktree.set(row.worktreeId, (inWorktree.get(row.worktreeId) ?? new Set()).add(id));
    const worktree = row.worktreeId === null ? undefined : await read.worktrees.get(row.worktreeId);
    return {
      id: row.id,
      type: row.type,
      worktreeId: row.worktreeId,
      repositoryId: row.repositoryId,
      cwd: row.cwd,
      agentId: row.agentId,
      title: row.title,
      description: row.description,
      status: statusOf(row, active),
      permissionConfig: {
        mode: row.permissionMode,
        requestedMode: row.requestedMode,
        applies: modeApplies(
          row.permissionMode,
          agent === undefined ? null : { mode: agent.permissionMode },
          await catalogue.resumes(row.agentId),
        ),
        ceiling: row.permissionCeiling,
        allowedTools: [],
      },
      genealogy: {
        ...(await originOf(row)),
        children: children.map((child) => child.id),
      },
      depth: row.depth,
      createdByUserId: row.createdByUserId,
      visibility: row.visibility,
      createdBySessionId: row.createdBySessionId,
      viaSessionId: row.viaSessionId,
      gitState: worktree ? { ref: worktree.branch, baseSha: worktree.baseSha, currentSha: worktree.currentSha } : null,
      workers: workers.map(presentWorker),
      task: task === undefined ? null : presentSessionTask(task),
      outcome: outcomeOf(row, task, { active: active.length > 0, queued }),
      queued,
      reclaimable: active.length === 0 && queued === 0 && (await isReclaimable(row, workers)),
      messageCount: row.messageCount,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      archivedAt: row.archivedAt,
    };
  }

  /** What is remembered of a session, loaded if it is not. */
  function remembered(id: string): Remembered {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const entry: Remembered = { loading: load(id) };
    cache.set(id, entry);
    entry.loading.then(
      (stored) => {
        entry.stored = stored;
      },
      () => cache.delete(id),
    );
    return entry;
  }

  /** The stored part with what the output has grown to since. */
  function upToNow(stored: Session): Session {
    if (!stored.workers.some(isLive)) return stored;
    const workers = stored.workers.map((worker) => {
      const logOffset = isLive(worker) ? streams.offset(worker.id) : undefined;
      return logOffset === undefined ? worker : { ...worker, logOffset };
    });
    return { ...stored, workers };
  }

  async function session(id: string): Promise<Session> {
    return upToNow(await remembered(id).loading);
  }

  /** Long lists are asked for often, and mostly all of them is in memory: then nothing is waited for. */
  async function sessions(ids: readonly string[]): Promise<Session[]> {
    const entries = ids.map(remembered);
    const stored = entries.map((entry) => entry.stored);
    const all = stored.every((one) => one !== undefined)
      ? stored
      : await Promise.all(entries.map((entry) => entry.loading));
    return all.map(upToNow);
  }

  async function loadLive(): Promise<string[]> {
    const workers = await read.workers.find({ state: ['starting', 'running'], type: ['agent', 'terminal'] });
    const ids = [...new Set(workers.map((worker) => worker.sessionId))];
    const rows =
      ids.length === 0
        ? []
        : await read.sessions.find({ id: ids, archivedAt: null, removedAt: null }, { order: ['-id'] });
    return rows.map((row) => row.id);
  }

  async function tasksOf(sessionId: string): Promise<Task[]> {
    const rows = await read.tasks.find({ sessionId });
    const queued = rows.filter((row) => row.status === 'queued').sort((a, b) => a.position - b.position);
    return rows.map((row) => cutTask(presentTask(row, row.status === 'queued' ? queued.indexOf(row) + 1 : null)));
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
    forget(sessionId) {
      cache.delete(sessionId);
      live = undefined;
    },
    async task(row) {
      if (row.status !== 'queued') return presentTask(row, null);
      const before = await read.tasks.count({
        sessionId: row.sessionId,
        status: 'queued',
        position: { below: row.position },
      });
      return presentTask(row, before + 1);
    },
  };
}
