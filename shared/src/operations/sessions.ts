import * as v from 'valibot';
import { AgorSessionStatus } from '../agor/sessions.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix, shortId } from '../ids.ts';
import { TOOL_LIST_DEFAULT } from '../limits/answers.ts';
import { AgentId } from '../models/agent.ts';
import {
  PermissionMode,
  Session,
  SessionGiven,
  SessionStatus,
  SessionWithTasks,
  Visibility,
} from '../models/session.ts';
import { TaskProgress } from '../models/task.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { AbsolutePath, ContextFiles, LongText, PromptText, Title } from '../text.ts';
import { McpServerIds } from './mcp-servers.ts';
import { SettableStatus } from './session-status.ts';
import {
  agorSessionsCreate,
  agorSessionsGet,
  agorSessionsGetCurrent,
  agorSessionsList,
  agorSessionsUpdate,
} from './session-tools.ts';
import { SessionRowsResult, SessionStatusResult, sessionColumns, sessionRows, sessionStatus } from './session-views.ts';

const sessionId = IdPrefix('session');
const ids = { sessionId: 'session' } as const;
const own = { ids, target: 'sessionId' } as const;

/** Sessions themselves: list, create, look at, change and remove them. What goes on in one is in session-work.ts. */
export const sessions = [
  operation({
    name: 'sessions.list',
    summary: 'Sessions, newest first',
    effect: 'read',
    access: 'workspace-read',
    ids: { worktreeId: 'worktree', repositoryId: 'repository', boardId: 'board' },
    rest: { method: 'GET', path: '/sessions' },
    cli: { command: 'sessions list', columns: sessionColumns },
    tool: {
      name: 'list_sessions',
      toolset: 'delegation',
      description:
        'List active sessions of this console (those with a live worker), newest first: their workers and what each is doing.',
      input: v.strictObject({
        limit: v.optional(
          v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(500), v.description('Rows, at most 500')),
        ),
        skip: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.description('Rows to pass over'))),
      }),
      output: SessionRowsResult,
      toInput: (args: { limit?: number; skip?: number }) => ({
        live: true,
        limit: args.limit ?? TOOL_LIST_DEFAULT,
        skip: args.skip ?? 0,
      }),
      toResult: sessionRows,
    },
    alsoTools: [agorSessionsList],
    input: v.strictObject({
      ...PageInput,
      status: v.optional(SessionStatus),
      shownStatus: v.optional(
        v.pipe(
          AgorSessionStatus,
          v.description(
            'Like status, but a spawned or forked session at rest counts by the outcome of its last prompt',
          ),
        ),
      ),
      agentId: v.optional(AgentId),
      worktreeId: v.optional(IdPrefix('worktree')),
      repositoryId: v.optional(IdPrefix('repository')),
      boardId: v.optional(IdPrefix('board')),
      live: v.optional(
        v.pipe(v.boolean(), v.description('true: only sessions with a live worker; false: only those without one')),
      ),
      archived: v.optional(v.boolean(), false),
    }),
    output: pageOf(Session),
  }),
  operation({
    name: 'sessions.create',
    summary:
      'Create a session in a worktree, or (people only) a quick one in a directory; a first prompt starts its agent',
    effect: 'write',
    access: 'self',
    ids: { worktreeId: 'worktree', mcpServerIds: 'mcpServer' },
    idempotent: true,
    peopleOnly: ['visibility'],
    rest: { method: 'POST', path: '/sessions', status: 201 },
    cli: { command: 'sessions create' },
    alsoTools: [agorSessionsCreate],
    input: v.pipe(
      v.strictObject({
        worktreeId: v.optional(IdPrefix('worktree')),
        cwd: v.optional(AbsolutePath),
        agentId: v.optional(AgentId),
        title: v.optional(Title),
        description: v.optional(LongText),
        permissionMode: v.optional(PermissionMode),
        permissionCeiling: v.optional(PermissionMode),
        visibility: v.optional(Visibility),
        initialPrompt: v.optional(PromptText),
        contextFiles: v.optional(ContextFiles, []),
        mcpServerIds: v.optional(McpServerIds, []),
        idempotencyKey: IdempotencyKey,
      }),
      v.check(
        (input) => (input.worktreeId === undefined) !== (input.cwd === undefined),
        'give either worktreeId or cwd',
      ),
    ),
    output: v.object({ ...Session.entries, ...SessionGiven.entries, taskId: v.optional(v.string()) }),
  }),
  operation({
    name: 'sessions.get',
    summary: 'One session with its workers and tasks',
    effect: 'read',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/sessions/:sessionId' },
    cli: { command: 'sessions get', positional: ['sessionId'] },
    tool: {
      name: 'get_session_status',
      toolset: 'delegation',
      description:
        'Status of one session: whether it has a live worker, what each worker is doing (with source and age), and its current or last task.',
      input: v.strictObject({ sessionId }),
      output: SessionStatusResult,
      toResult: sessionStatus,
    },
    alsoTools: [agorSessionsGet, agorSessionsGetCurrent],
    resource: {
      uri: 'agor://session/{id}',
      name: 'session',
      description: 'One session with its workers and tasks: its status, and what came of each prompt.',
      id: 'sessionId',
      offers: {
        from: 'sessions.list',
        id: (session: { id: string }) => session.id,
        title: (session: { id: string; title: string }) => session.title || `Session ${shortId(session.id)}`,
      },
    },
    input: v.strictObject({
      sessionId: v.optional(v.pipe(sessionId, v.description("Default: the caller's own session"))),
      includeMessages: v.optional(v.boolean(), false),
      messagesFrom: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
      includePlace: v.optional(v.boolean(), false),
    }),
    output: SessionWithTasks,
  }),
  operation({
    name: 'sessions.update',
    summary:
      'Change the title, description, status, permission mode or (people only) permission ceiling of a session, or say how far its task is',
    effect: 'write',
    access: 'subtree',
    ...own,
    peopleOnly: ['visibility'],
    rest: { method: 'PATCH', path: '/sessions/:sessionId' },
    cli: { command: 'sessions update', positional: ['sessionId'] },
    alsoTools: [agorSessionsUpdate],
    input: v.pipe(
      v.strictObject({
        sessionId,
        title: v.optional(Title),
        description: v.optional(LongText),
        status: v.optional(SettableStatus),
        permissionMode: v.optional(PermissionMode),
        permissionCeiling: v.optional(PermissionMode),
        visibility: v.optional(Visibility),
        progress: v.optional(TaskProgress),
      }),
      v.check(
        ({ sessionId: _, ...fields }) => Object.values(fields).some((field) => field !== undefined),
        'At least one field must be given',
      ),
    ),
    output: Session,
  }),
  operation({
    name: 'sessions.remove',
    summary: 'Remove a stopped session with its tasks, messages and output',
    effect: 'destroy',
    access: 'member',
    ...own,
    rest: { method: 'DELETE', path: '/sessions/:sessionId' },
    cli: { command: 'sessions remove', positional: ['sessionId'] },
    input: v.strictObject({ sessionId }),
    output: Session,
  }),
] as const;
