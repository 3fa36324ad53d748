import * as v from 'valibot';
import { type Session, SessionStatus, SessionType } from '../models/session.ts';
import { type Task, TaskSummary } from '../models/task.ts';
import { ActivitySource, ActivityState, Confidence, type Worker, WorkerState, WorkerType } from '../models/worker.ts';
import type { Page } from '../page.ts';
import { Timestamp } from '../time.ts';

/** How the delegation tools show sessions: short rows, since agents read every byte. Pure presenters only. */

const Liveness = v.picklist(['active', 'inactive']);

const WorkerRow = v.object({ id: v.string(), type: WorkerType, activityState: ActivityState });

export const SessionRowsResult = v.object({
  sessions: v.array(
    v.object({
      id: v.string(),
      type: SessionType,
      title: v.optional(v.string()),
      worktreeId: v.optional(v.string()),
      status: Liveness,
      workers: v.array(WorkerRow),
    }),
  ),
  total: v.number(),
});

export const SessionStatusResult = v.object({
  sessionId: v.string(),
  status: Liveness,
  title: v.optional(v.string()),
  worktreeId: v.optional(v.string()),
  workers: v.array(
    v.object({ ...WorkerRow.entries, source: ActivitySource, since: Timestamp, confidence: Confidence }),
  ),
  task: v.optional(TaskSummary),
});

/**
 * A whole session, of which the list of tools says only what decides anything: three tools answer one, and every agent
 * reads that list.
 */
export const SessionResult = v.looseObject({
  id: v.string(),
  title: v.string(),
  status: SessionStatus,
  workers: v.array(v.looseObject({ id: v.string(), type: WorkerType, state: WorkerState })),
});

/** A worker whose process can still do something; a diff view has none. */
export function isLive(worker: Pick<Worker, 'type' | 'state'>): boolean {
  return worker.type !== 'git-diff' && (worker.state === 'starting' || worker.state === 'running');
}

function liveness(session: Session): 'active' | 'inactive' {
  return session.workers.some(isLive) ? 'active' : 'inactive';
}

function named(session: Session) {
  return {
    ...(session.title === '' ? {} : { title: session.title }),
    ...(session.worktreeId === null ? {} : { worktreeId: session.worktreeId }),
  };
}

function sessionRow(session: Session) {
  return {
    id: session.id,
    type: session.type,
    ...named(session),
    status: liveness(session),
    workers: session.workers.map(({ id, type, activityState }) => ({ id, type, activityState })),
  };
}

export function sessionRows(page: Page<Session>) {
  return { sessions: page.data.map(sessionRow), total: page.total };
}

export function summarizeTask(task: Task): TaskSummary {
  const { id, status, waitingFor, outcomeSource, certain, summary, error } = task;
  return { id, status, waitingFor, outcomeSource, certain, summary, error };
}

/** The task a caller means by "its task": the one at work, else the newest prompt. */
export function currentTask(tasks: readonly Task[]): Task | undefined {
  const prompts = tasks.filter((task) => task.kind === 'prompt');
  return prompts.find((task) => task.status === 'running' || task.status === 'awaiting_input') ?? prompts.at(-1);
}

export function sessionStatus(session: Session & { tasks: Task[] }) {
  const task = currentTask(session.tasks);
  return {
    sessionId: session.id,
    status: liveness(session),
    ...named(session),
    workers: session.workers.map((worker) => ({
      id: worker.id,
      type: worker.type,
      activityState: worker.activityState,
      source: worker.activitySource,
      since: worker.activitySince,
      confidence: worker.confidence,
    })),
    ...(task === undefined ? {} : { task: summarizeTask(task) }),
  };
}
