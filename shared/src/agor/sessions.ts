import * as v from 'valibot';
import type { Message } from '../models/message.ts';
import { PermissionMode, type Session, SessionStatus } from '../models/session.ts';
import type { Task } from '../models/task.ts';
import type { Worker } from '../models/worker.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { snakeCreated, snakeCreatedOf, snakeEntity, snakeList } from './snake.ts';

/** Sessions in the spelling of the `agor_*` tools. Pure presenters only. */

const about = {
  session_id: v.string(),
  worktree_id: v.nullable(v.string()),
  repo_id: v.nullable(v.string()),
  agentic_tool: v.string(),
  title: v.string(),
  status: SessionStatus,
};

export const AgorSessionRow = v.looseObject({ ...about, updated_at: Timestamp });
export const AgorSessions = pageOf(AgorSessionRow);
export const AgorSession = v.looseObject({
  ...about,
  description: v.string(),
  permission_config: v.looseObject({ mode: PermissionMode, ceiling: PermissionMode }),
  git_state: v.nullable(v.looseObject({ ref: v.nullable(v.string()), current_sha: v.nullable(v.string()) })),
  genealogy: v.looseObject({
    parent_session_id: v.nullable(v.string()),
    forked_from_session_id: v.nullable(v.string()),
    children: v.array(v.string()),
  }),
  message_count: v.number(),
});
export const AgorSessionWithTasks = v.looseObject({
  ...AgorSession.entries,
  tasks: v.array(v.looseObject({ task_id: v.string(), status: v.string() })),
});
export const AgorSessionCreated = v.object({
  ...snakeCreatedOf(AgorSessionWithTasks).entries,
  taskId: v.optional(v.string()),
});

function workerRow({ id, type, state, activityState }: Worker) {
  return snakeEntity('worker', { id, type, state, activityState });
}

function taskRow({ id, kind, status, waitingFor, summary }: Task) {
  return snakeEntity('task', { id, kind, status, waitingFor, summary });
}

function messageRow({ id, seq, role, kind, taskId, parts, createdAt }: Message) {
  // The keys in parts are the agent's own.
  return { ...snakeEntity('message', { id, seq, role, kind, taskId, createdAt }), parts };
}

/** A short row, without what only a look at the one session needs. */
export function agorSessions(page: Page<Session>) {
  return snakeList(page, (session) => {
    const { id, worktreeId, repositoryId, agentId, title, status, genealogy, depth, queued, messageCount } = session;
    const { parentSessionId, forkedFromSessionId } = genealogy;
    const place = { id, worktreeId, repositoryId, agentId, title, status, depth, queued, messageCount };
    const { createdAt, updatedAt } = session;
    return snakeEntity('session', {
      ...place,
      genealogy: { parentSessionId, forkedFromSessionId },
      createdAt,
      updatedAt,
    });
  });
}

export function agorSession({ workers, task, ...session }: Session) {
  return {
    ...snakeEntity('session', session),
    task: task === null ? null : snakeEntity('task', task),
    workers: workers.map(workerRow),
  };
}

/** With its tasks, and with the messages that were asked for. */
export function agorSessionWithTasks({
  tasks,
  messages,
  ...session
}: Session & { tasks: Task[]; messages?: Message[] | undefined }) {
  return {
    ...agorSession(session),
    tasks: tasks.map(taskRow),
    ...(messages === undefined ? {} : { messages: messages.map(messageRow) }),
  };
}

/** A new session has no tasks but that of its first prompt, which stands beside it. */
export function agorSessionCreated({ taskId, ...session }: Session & { taskId?: string | undefined }) {
  const entity = {
    ...agorSession(session),
    tasks: taskId === undefined ? [] : [{ task_id: taskId, status: 'queued' }],
  };
  return snakeCreated(session.id, entity, taskId === undefined ? {} : { taskId });
}
