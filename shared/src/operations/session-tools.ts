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
import { described, wholeNumber } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { PermissionMode } from '../models/session.ts';
import { TaskProgress } from '../models/task.ts';
import type { ToolForm } from '../operation.ts';
import { ContextFiles, LongText, PromptText, Title } from '../text.ts';
import { shortText } from './fields.ts';
import { McpServerIds } from './mcp-servers.ts';

/** Statuses that a caller may set. The other statuses follow from the session's processes and tasks. */
export const SettableStatus = described(
  v.picklist(['idle', 'running', 'completed', 'failed']),
  'completed or failed: set after the current turn; idle: clears completed or failed; running: accepted only if the session is already running',
);
export type SettableStatus = v.InferOutput<typeof SettableStatus>;

const sessionId = IdPrefix('session');
const agenticTool = shortText('Id of an agent definition, e.g. claude-code', 100);
const title = v.optional(described(Title, 'A short title; empty clears it'));
const description = v.optional(described(LongText, 'Description; empty clears it'));
const permissionMode = v.optional(described(PermissionMode, 'What the agent may do without asking'));

/** Error for arguments that place a session on a board, because only worktrees have a position on a board. */
export const ON_WORKTREES =
  'a session appears on the board of its worktree; place the worktree with agor_worktrees_update';

export const agorSessionsList: ToolForm = {
  name: 'agor_sessions_list',
  toolset: 'sessions',
  description:
    'List sessions, newest first, with or without a running agent. The status of an idle spawned or forked session, also in the filter, is the outcome of its last prompt.',
  input: v.strictObject({
    boardId: v.optional(described(IdPrefix('board'), 'Filter by board of the worktree')),
    worktreeId: v.optional(IdPrefix('worktree')),
    status: v.optional(described(AgorSessionStatus, 'Filter by status')),
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
    'One session: its status, agent, worktree, genealogy and the ids of its tasks (agor_tasks_get shows one). The status of an idle spawned or forked session is the outcome of its last prompt: poll until it is completed, failed, cancelled or interrupted.',
  input: v.strictObject({
    sessionId,
    includeMessages: v.optional(
      described(v.boolean(), 'Include the newest messages, oldest first, with long texts cut'),
    ),
    messagesFrom: v.optional(
      wholeNumber(
        'Include complete messages starting at this number (seq); messages_next has the arguments of the next page',
        1,
      ),
    ),
    textOffset: v.optional(wholeNumber('With messagesFrom: characters to skip at the start of the first message', 0)),
  }),
  output: AgorSessionWithTasks,
  toInput: ({ textOffset: _, ...args }: { textOffset?: number }) => args,
  toResult: agorSessionWithTasks,
};

export const agorSessionsGetCurrent: ToolForm = {
  name: 'agor_sessions_get_current',
  toolset: 'sessions',
  description: 'The session you run in, as in agor_sessions_get, with its worktree, repository and board.',
  input: v.strictObject({}),
  output: AgorCurrentSession,
  toInput: () => ({ includePlace: true }),
  toResult: agorCurrentSession,
};

export const agorSessionsCreate: ToolForm = {
  name: 'agor_sessions_create',
  toolset: 'sessions',
  description: 'Create a session in a worktree. Its agent starts with the first prompt, given here or later.',
  input: v.strictObject({
    worktreeId: IdPrefix('worktree'),
    agenticTool,
    title,
    description,
    permissionMode,
    initialPrompt: v.optional(described(PromptText, 'First prompt; starts the agent at once')),
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
    'Change the title, description, status or permission mode of a session, or report the progress of its task. At least one field is required.',
  input: v.strictObject({
    sessionId,
    title,
    description,
    status: v.optional(SettableStatus),
    permissionMode,
    progress: v.optional(described(TaskProgress, 'Completed fraction of the running task, 0 to 1')),
  }),
  output: AgorSession,
  toResult: agorSession,
};
