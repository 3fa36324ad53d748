import * as v from 'valibot';
import { bytesBeside, fittingRows } from '../agor/size.ts';
import type { ListArguments } from '../agor/snake.ts';
import { cutText, firstChars } from '../cut.ts';
import {
  TOOL_CHILDREN_MAX,
  TOOL_DESCRIPTION_CHARS,
  TOOL_ROW_TITLE_CHARS,
  TOOL_WORKERS_MAX,
} from '../limits/answers.ts';
import { type Session, SessionStatus, SessionType } from '../models/session.ts';
import { type Task, TaskSummary } from '../models/task.ts';
import { ActivitySource, ActivityState, Confidence, type Worker, WorkerState, WorkerType } from '../models/worker.ts';
import type { Page } from '../page.ts';
import { isLive } from '../session-badge.ts';
import { Timestamp } from '../time.ts';

/**
 * This file defines the results of the delegation tools. Lists have short rows, because they take space in an agent's
 * context.
 */

/** Text that is appended to a summary that was cut. */
const CUT_MARK = '[cut; use agor_tasks_get for the full text]';

/**
 * A task as the tools return it to agents. `summaryTruncated` is left out, because the text of a cut summary says that
 * it was cut.
 */
const ToolTaskSummary = v.omit(TaskSummary, ['summaryTruncated']);

/** Conditions that `sessions.wait` waits for. */
export const WaitedFor = v.picklist(['idle', 'asking', 'finished']);

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
  task: v.optional(ToolTaskSummary),
});

export const WaitResult = v.object({
  sessionId: v.string(),
  reached: v.nullable(WaitedFor),
  stillRunning: v.boolean(),
  task: v.optional(ToolTaskSummary),
  activityState: ActivityState,
});

/**
 * A session, as returned by the tools that pause, resume and stop it. The schema declares only the fields that agents
 * need for decisions, because it is part of the tool list that agents read.
 */
export const SessionResult = v.looseObject({
  id: v.string(),
  title: v.string(),
  status: SessionStatus,
  workers: v.array(v.looseObject({ id: v.string(), type: WorkerType, state: WorkerState })),
});

function liveness(session: Session): 'active' | 'inactive' {
  return session.workers.some(isLive) ? 'active' : 'inactive';
}

function optionalFields(session: Session) {
  return {
    ...(session.title === '' ? {} : { title: rowTitle(session.title) }),
    ...(session.worktreeId === null ? {} : { worktreeId: session.worktreeId }),
  };
}

function sessionRow(session: Session) {
  return {
    id: session.id,
    type: session.type,
    ...optionalFields(session),
    status: liveness(session),
    workers: workersShown(session.workers).map(({ id, type, activityState }) => ({ id, type, activityState })),
  };
}

/** Formats sessions as rows. Without a limit, the page has as many rows as fit into one tool result. */
export function sessionRows(page: Page<Session>, args: ListArguments) {
  const rows = page.data.map(sessionRow);
  const sessions = args.limit === undefined ? fittingRows(rows, bytesBeside({})) : rows;
  return { sessions, total: page.total };
}

/**
 * Returns the live workers of a session and its newest ended workers, at most TOOL_WORKERS_MAX in total, oldest first.
 */
export function workersShown<W extends Pick<Worker, 'id' | 'type' | 'state'>>(workers: readonly W[]): W[] {
  const newestFirst = workers.toReversed();
  const ordered = [...newestFirst.filter(isLive), ...newestFirst.filter((worker) => !isLive(worker))];
  const shown = new Set(ordered.slice(0, TOOL_WORKERS_MAX));
  return workers.filter((worker) => shown.has(worker));
}

/** Cuts a title for a row shown to agents. */
export function rowTitle(title: string): string {
  return title.length <= TOOL_ROW_TITLE_CHARS ? title : `${firstChars(title, TOOL_ROW_TITLE_CHARS - 1)}…`;
}

export function summarizeTask(task: Task): TaskSummary {
  const { id, status, waitingFor, outcomeSource, certain, progress, summary, summaryTruncated, error } = task;
  const cut = summaryTruncated === undefined ? {} : { summaryTruncated };
  return { id, status, waitingFor, outcomeSource, certain, progress, summary, ...cut, error };
}

/** Formats a task for agents. A cut summary names the tool that returns the full text. */
export function taskForTools<T extends Pick<TaskSummary, 'summary' | 'summaryTruncated'>>({
  summaryTruncated,
  ...task
}: T) {
  if (task.summary === null || summaryTruncated === undefined) return task;
  return { ...task, summary: `${task.summary} ${CUT_MARK}` };
}

/** Formats a session for agents, with its long texts and lists cut. */
export function sessionResult({ workers, task, genealogy, description, ...session }: Session) {
  return {
    ...session,
    description: cutText(description, TOOL_DESCRIPTION_CHARS, 'use REST for the full text'),
    genealogy: { ...genealogy, children: genealogy.children.slice(-TOOL_CHILDREN_MAX) },
    workers: workersShown(workers),
    task: task === null ? null : taskForTools(task),
  };
}

export function waitResult<Found extends { task?: TaskSummary | undefined }>({ task, ...found }: Found) {
  return { ...found, ...(task === undefined ? {} : { task: taskForTools(task) }) };
}

/**
 * Returns the task that a caller means by "the task of the session": the running or waiting prompt, otherwise the
 * newest prompt.
 */
export function currentTask(tasks: readonly Task[]): Task | undefined {
  const prompts = tasks.filter((task) => task.kind === 'prompt');
  return prompts.find((task) => task.status === 'running' || task.status === 'awaiting_input') ?? prompts.at(-1);
}

export function sessionStatus(session: Session & { tasks: Task[] }) {
  const task = currentTask(session.tasks);
  return {
    sessionId: session.id,
    status: liveness(session),
    ...optionalFields(session),
    workers: workersShown(session.workers).map((worker) => ({
      id: worker.id,
      type: worker.type,
      activityState: worker.activityState,
      source: worker.activitySource,
      since: worker.activitySince,
      confidence: worker.confidence,
    })),
    ...(task === undefined ? {} : { task: taskForTools(summarizeTask(task)) }),
  };
}
