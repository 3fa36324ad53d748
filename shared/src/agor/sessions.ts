import * as v from 'valibot';
import { McpTransport } from '../models/mcp-server.ts';
import type { Message } from '../models/message.ts';
import {
  PermissionMode,
  type Session,
  type SessionGiven,
  SessionStatus,
  type SessionWithTasks,
} from '../models/session.ts';
import type { Task } from '../models/task.ts';
import type { Worker } from '../models/worker.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { AgorBoardRow, agorBoardRow } from './boards.ts';
import { AgorRepository, agorRepository } from './repositories.ts';
import { snakeCreated, snakeCreatedOf, snakeEntity, snakeList } from './snake.ts';
import { AgorWorktree, agorWorktree } from './worktrees.ts';

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
  context_files: v.array(v.string()),
  mcp_servers: v.array(v.looseObject({ mcp_server_id: v.string(), name: v.string(), transport: McpTransport })),
});
export const AgorCurrentSession = v.looseObject({
  ...AgorSessionWithTasks.entries,
  worktree: v.nullable(AgorWorktree),
  repo: v.nullable(AgorRepository),
  board: v.nullable(AgorBoardRow),
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
export function agorSessionRow(session: Session) {
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
}

export function agorSessions(page: Page<Session>) {
  return snakeList(page, agorSessionRow);
}

export function agorSession({ workers, task, ...session }: Session) {
  return {
    ...snakeEntity('session', session),
    task: task === null ? null : snakeEntity('task', task),
    workers: workers.map(workerRow),
  };
}

function withGiven({ mcpServers, ...session }: Session & SessionGiven) {
  return { ...agorSession(session), mcp_servers: mcpServers.map((server) => snakeEntity('mcp_server', server)) };
}

/** With its tasks, and with the messages that were asked for. */
export function agorSessionWithTasks({
  tasks,
  messages,
  ...session
}: Session & SessionGiven & { tasks: Task[]; messages?: Message[] | undefined }) {
  return {
    ...withGiven(session),
    tasks: tasks.map(taskRow),
    ...(messages === undefined ? {} : { messages: messages.map(messageRow) }),
  };
}

/** With where it works. */
export function agorCurrentSession({ worktree, repository, board, ...session }: SessionWithTasks) {
  return {
    ...agorSessionWithTasks(session),
    worktree: worktree ? agorWorktree(worktree) : null,
    repo: repository ? agorRepository(repository) : null,
    board: board ? agorBoardRow(board) : null,
  };
}

/** A new session has no tasks but that of its first prompt, which stands beside it. */
export function agorSessionCreated({ taskId, ...session }: Session & SessionGiven & { taskId?: string | undefined }) {
  const entity = {
    ...withGiven(session),
    tasks: taskId === undefined ? [] : [{ task_id: taskId, status: 'queued' }],
  };
  return snakeCreated(session.id, entity, taskId === undefined ? {} : { taskId });
}
