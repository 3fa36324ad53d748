import * as v from 'valibot';
import { AgorPage } from '../agor/arguments.ts';
import {
  AgorCurrentSession,
  AgorSession,
  AgorSessionCreated,
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
import { GET_MESSAGES_MAX } from '../limits/answers.ts';
import { PermissionMode, SessionStatus } from '../models/session.ts';
import type { ToolForm } from '../operation.ts';
import { ContextFiles, LongText, PromptText, Title } from '../text.ts';
import { McpServerIds } from './mcp-servers.ts';
import { SettableStatus } from './session-status.ts';

/** Sessions as the `agor_*` tools list, show, create and change them. */

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

const ON_WORKTREES = 'a session is shown where its worktree is; place that with agor_worktrees_update';

/** A field of earlier designs, refused with where it went. */
function elsewhere<S extends v.GenericSchema>(type: S) {
  return v.optional(
    v.pipe(
      type,
      v.check(() => false, ON_WORKTREES),
      v.description('Not taken: a session is shown where its worktree is'),
    ),
  );
}

export const agorSessionsList: ToolForm = {
  name: 'agor_sessions_list',
  toolset: 'sessions',
  description: 'Sessions, newest first, also those without a living agent.',
  input: v.strictObject({
    boardId: v.optional(v.pipe(IdPrefix('board'), v.description('Only those whose worktree lies on this board'))),
    worktreeId: v.optional(IdPrefix('worktree')),
    status: v.optional(v.pipe(SessionStatus, v.description('Only those that stand so'))),
    agent: v.optional(agenticTool),
    ...AgorPage,
  }),
  output: AgorSessions,
  names: { agent: 'agentId' },
  toResult: agorSessions,
};

export const agorSessionsGet: ToolForm = {
  name: 'agor_sessions_get',
  toolset: 'sessions',
  description: 'One session with its tasks, and where asked for with its newest messages.',
  input: v.strictObject({
    sessionId,
    includeMessages: v.optional(
      v.pipe(v.boolean(), v.description(`With its newest ${GET_MESSAGES_MAX} messages, oldest first`)),
    ),
  }),
  output: AgorSessionWithTasks,
  toResult: agorSessionWithTasks,
};

export const agorSessionsGetCurrent: ToolForm = {
  name: 'agor_sessions_get_current',
  toolset: 'sessions',
  description: 'The session you run in, with its tasks, worktree, repository and board.',
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
    boardId: elsewhere(v.string()),
    zoneId: elsewhere(v.string()),
    x: elsewhere(v.number()),
    y: elsewhere(v.number()),
    idempotencyKey: IdempotencyKey,
  }),
  output: AgorSessionCreated,
  names: { agenticTool: 'agentId' },
  toResult: agorSessionCreated,
};

export const agorSessionsUpdate: ToolForm = {
  name: 'agor_sessions_update',
  toolset: 'sessions',
  description: 'Change what is said of a session: its title, description, status or permission mode.',
  input: v.strictObject({ sessionId, title, description, status: v.optional(SettableStatus), permissionMode }),
  output: AgorSession,
  toResult: agorSession,
};
