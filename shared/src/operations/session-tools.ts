import * as v from 'valibot';
import { AgorPage } from '../agor/arguments.ts';
import {
  AgorCurrentSession,
  AgorSession,
  AgorSessionCreated,
  AgorSessionStatus,
  AgorSessions,
  AgorSessionWithTasks,
  agorCurrentSession,
  agorSession,
  agorSessionCreated,
  agorSessions,
  agorSessionWithTasks,
} from '../agor/sessions.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { PermissionMode } from '../models/session.ts';
import { TaskProgress } from '../models/task.ts';
import type { ToolForm } from '../operation.ts';
import { ContextFiles, LongText, PromptText, Title } from '../text.ts';
import { McpServerIds } from './mcp-servers.ts';

/** Forms of the `agor_*` tools that list, show, create and change sessions. */

/** Statuses that a caller may set. All others follow from the session's processes and tasks. */
export const SettableStatus = v.pipe(
  v.picklist(['idle', 'running', 'completed', 'failed']),
  v.description(
    'completed or failed: its work is over once its turn ends; idle: its work is not over; running: only confirms the status',
  ),
);
export type SettableStatus = v.InferOutput<typeof SettableStatus>;

const sessionId = IdPrefix('session');
const agenticTool = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(100),
  v.description('Id of an agent definition, e.g. claude-code'),
);
const title = v.optional(v.pipe(Title, v.description('A short title; empty clears it')));
const description = v.optional(v.pipe(LongText, v.description('What it is about; empty clears it')));
const permissionMode = v.optional(v.pipe(PermissionMode, v.description('How much its agent may do unasked')));

/** A session has no board position of its own. */
export const ON_WORKTREES = 'a session is shown where its worktree is; place that with agor_worktrees_update';

export const agorSessionsList: ToolForm = {
  name: 'agor_sessions_list',
  toolset: 'sessions',
  description:
    'List sessions, newest first, with or without a running agent. A spawned or forked session at rest has the outcome of its last prompt as status; the filter agrees.',
  input: v.strictObject({
    boardId: v.optional(v.pipe(IdPrefix('board'), v.description('Only those whose worktree lies on this board'))),
    worktreeId: v.optional(IdPrefix('worktree')),
    status: v.optional(v.pipe(AgorSessionStatus, v.description('Filter by status'))),
    agent: v.optional(agenticTool),
    ...AgorPage,
  }),
  output: AgorSessions,
  names: { agent: 'agentId', status: 'shownStatus' },
  toResult: agorSessions,
};

export const agorSessionsGet: ToolForm = {
  name: 'agor_sessions_get',
  toolset: 'sessions',
  description:
    'One session: its status, agent, worktree, genealogy and the ids of its tasks (agor_tasks_get shows one). The status of a spawned or forked session at rest is the outcome of its last prompt: poll until it is completed, failed, cancelled or interrupted.',
  input: v.strictObject({
    sessionId,
    includeMessages: v.optional(
      v.pipe(v.boolean(), v.description('Include the newest messages, oldest first, with long texts cut')),
    ),
    messagesFrom: v.optional(
      v.pipe(
        v.number(),
        v.safeInteger(),
        v.minValue(1),
        v.description('Include complete messages from this number (seq) on; messages_next is the next page'),
      ),
    ),
    textOffset: v.optional(
      v.pipe(
        v.number(),
        v.safeInteger(),
        v.minValue(0),
        v.description('Number of characters of the first message to skip'),
      ),
    ),
  }),
  output: AgorSessionWithTasks,
  toInput: ({ textOffset: _, ...args }: { textOffset?: number }) => args,
  toResult: agorSessionWithTasks,
};

export const agorSessionsGetCurrent: ToolForm = {
  name: 'agor_sessions_get_current',
  toolset: 'sessions',
  description: 'The session you run in: as agor_sessions_get shows it, with its worktree, repository and board.',
  input: v.strictObject({}),
  output: AgorCurrentSession,
  toInput: () => ({ includePlace: true }),
  toResult: agorCurrentSession,
};

export const agorSessionsCreate: ToolForm = {
  name: 'agor_sessions_create',
  toolset: 'sessions',
  description: 'Create a session in a worktree. Nothing runs until it is given a prompt, here or later.',
  input: v.strictObject({
    worktreeId: IdPrefix('worktree'),
    agenticTool,
    title,
    description,
    permissionMode,
    initialPrompt: v.optional(v.pipe(PromptText, v.description('First prompt; starts the agent at once'))),
    contextFiles: v.optional(ContextFiles),
    mcpServerIds: v.optional(McpServerIds),
    idempotencyKey: IdempotencyKey,
  }),
  refusedArguments: { boardId: ON_WORKTREES, zoneId: ON_WORKTREES, x: ON_WORKTREES, y: ON_WORKTREES },
  output: AgorSessionCreated,
  names: { agenticTool: 'agentId' },
  toResult: agorSessionCreated,
};

export const agorSessionsUpdate: ToolForm = {
  name: 'agor_sessions_update',
  toolset: 'sessions',
  description:
    'Change the title, description, status or permission mode of a session, or say how far its task is. Give at least one of them.',
  input: v.strictObject({
    sessionId,
    title,
    description,
    status: v.optional(SettableStatus),
    permissionMode,
    progress: v.optional(v.pipe(TaskProgress, v.description('How much of its running task is done, 0 to 1'))),
  }),
  output: AgorSession,
  toResult: agorSession,
};
