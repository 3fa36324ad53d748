import * as v from 'valibot';
import { cutText } from '../cut.ts';
import { TOOL_CHILDREN_MAX, TOOL_DESCRIPTION_CHARS, TOOL_TASKS_MAX } from '../limits/answers.ts';
import type { Message } from '../models/message.ts';
import {
  PermissionMode,
  type Session,
  type SessionAttachments,
  SessionStatus,
  type SessionWithTasks,
} from '../models/session.ts';
import { type Task, TaskOutcome } from '../models/task.ts';
import type { Worker } from '../models/worker.ts';
import { rowTitle, taskForTools, workersShown } from '../operations/session-views.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { agorBoardRow } from './boards.ts';
import { messagesFrom, NextMessages, newestMessages } from './messages.ts';
import { agorRepositoryRow } from './repositories.ts';
import { bytesBeside } from './size.ts';
import { type ListArguments, snakeCreated, snakeCreatedOf, snakeEntity, snakeList } from './snake.ts';
import { agorWorktree } from './worktrees.ts';

/** This file defines the results of the `agor_*` tools for sessions. */

/**
 * Status of a session. A spawned or forked session that is idle reports the outcome of its last prompt as its status,
 * for agents that poll it.
 */
export const AgorSessionStatus = v.picklist([...new Set([...SessionStatus.options, ...TaskOutcome.options])]);

const row = {
  session_id: v.string(),
  title: v.string(),
  status: AgorSessionStatus,
  agentic_tool: v.string(),
};
const about = { ...row, worktree_id: v.nullable(v.string()), repo_id: v.nullable(v.string()) };

export const AgorSessionRow = v.looseObject(row);
export const AgorSessions = pageOf(AgorSessionRow);
export const AgorSession = v.looseObject({
  ...about,
  permission_config: v.looseObject({ mode: PermissionMode, ceiling: PermissionMode }),
  genealogy: v.looseObject({
    parent_session_id: v.nullable(v.string()),
    forked_from_session_id: v.nullable(v.string()),
    children: v.array(v.string()),
  }),
  message_count: v.number(),
  created_at: Timestamp,
});
export const AgorSessionWithTasks = v.looseObject({
  ...AgorSession.entries,
  tasks: v.array(v.string()),
  messages: v.optional(v.array(v.looseObject({ seq: v.number(), role: v.string() }))),
  messages_next: v.optional(NextMessages),
});
/**
 * The caller's session. In a result, the worktree, repository and board have more fields than the ids declared here.
 */
export const AgorCurrentSession = v.looseObject({
  ...about,
  tasks: v.array(v.string()),
  worktree: v.nullable(v.looseObject({ worktree_id: v.string() })),
  repo: v.nullable(v.looseObject({ repo_id: v.string() })),
  board: v.nullable(v.looseObject({ board_id: v.string() })),
});
export const AgorSessionCreated = v.object({
  ...snakeCreatedOf(v.looseObject({ ...about, tasks: v.array(v.string()) })).entries,
  taskId: v.optional(v.string()),
});

function agorStatus({ status, outcome }: Pick<Session, 'status' | 'outcome'>): v.InferOutput<typeof AgorSessionStatus> {
  return outcome ?? status;
}

function workerRow({ id, type, state, activityState }: Worker) {
  return snakeEntity('worker', { id, type, state, activityState });
}

/** Formats a session as a short row, so that fifty rows fit into one result. */
export function agorSessionRow(session: Session) {
  const { id, title, agentId } = session;
  return snakeEntity('session', { id, title: rowTitle(title), status: agorStatus(session), agentId });
}

export function agorSessions(page: Page<Session>, args: ListArguments) {
  return snakeList(page, agorSessionRow, args);
}

/** Formats a session with a cut description and its newest children; `agor_sessions_genealogy` returns all children. */
export function agorSession({ workers, task, outcome, ...session }: Session) {
  const { genealogy, description } = session;
  const children = genealogy.children.slice(-TOOL_CHILDREN_MAX);
  return {
    ...snakeEntity('session', {
      ...session,
      status: agorStatus({ status: session.status, outcome }),
      description: cutText(description, TOOL_DESCRIPTION_CHARS, 'use REST for the full text'),
      genealogy: { ...genealogy, children },
    }),
    ...(children.length < genealogy.children.length ? { children_count: genealogy.children.length } : {}),
    task: task === null ? null : snakeEntity('task', taskForTools(task)),
    workers: workersShown(workers).map(workerRow),
  };
}

function withAttachments({ mcpServers, ...session }: Session & SessionAttachments) {
  return { ...agorSession(session), mcp_servers: mcpServers.map((server) => snakeEntity('mcp_server', server)) };
}

/** Arguments that select the messages to return. */
interface MessageArguments {
  messagesFrom?: number | undefined;
  textOffset?: number | undefined;
}

/** Formats a session with the ids of its newest tasks, oldest first, and as many of the requested messages as fit. */
export function agorSessionWithTasks(
  { tasks, messages, ...session }: Session & SessionAttachments & { tasks: Task[]; messages?: Message[] | undefined },
  args: MessageArguments,
) {
  const shown = {
    ...withAttachments(session),
    tasks: tasks.slice(-TOOL_TASKS_MAX).map(({ id }) => id),
    task_count: tasks.length,
  };
  if (messages === undefined) return shown;
  const bytes = bytesBeside(shown);
  if (args.messagesFrom === undefined) return { ...shown, messages: newestMessages(messages, bytes) };
  const last = messages.at(-1)?.seq ?? 0;
  return { ...shown, ...messagesFrom(messages, args.textOffset ?? 0, bytes, last < session.messageCount) };
}

export function agorCurrentSession({ worktree, repository, board, ...session }: SessionWithTasks) {
  return {
    ...agorSessionWithTasks(session, {}),
    worktree: worktree ? agorWorktree(worktree) : null,
    repo: repository ? agorRepositoryRow(repository) : null,
    board: board ? agorBoardRow(board) : null,
  };
}

/** Formats a new session, whose only task is its first prompt. */
export function agorSessionCreated({
  taskId,
  ...session
}: Session & SessionAttachments & { taskId?: string | undefined }) {
  const tasks = taskId === undefined ? [] : [taskId];
  const entity = { ...withAttachments(session), tasks, task_count: tasks.length };
  return snakeCreated(session.id, entity, taskId === undefined ? {} : { taskId });
}
