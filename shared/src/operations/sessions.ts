import * as v from 'valibot';
import { AgorSearch, agorSearch } from '../agor/search.ts';
import { AgorSessionStatus } from '../agor/sessions.ts';
import { sessionColumns } from '../columns.ts';
import { described, wholeNumber } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix, idOf, nullableIdOf, shortId } from '../ids.ts';
import { TOOL_LIST_DEFAULT } from '../limits/answers.ts';
import {
  SEARCH_EXCERPTS_MAX,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SEARCH_PREFIX_MIN_CHARS,
} from '../limits/search.ts';
import { AgentId, StoredAgentId } from '../models/agent.ts';
import { Budget } from '../models/budget.ts';
import {
  PermissionMode,
  Session,
  SessionAttachments,
  SessionStatus,
  SessionWithTasks,
  Visibility,
} from '../models/session.ts';
import { TaskProgress } from '../models/task.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { AbsolutePath, ContextFiles, Label, Labels, LongText, PromptText, SearchText, Title } from '../text.ts';
import { McpServerIds } from './mcp-servers.ts';
import {
  agorSessionsCreate,
  agorSessionsGet,
  agorSessionsGetCurrent,
  agorSessionsList,
  agorSessionsUpdate,
  SettableStatus,
} from './session-tools.ts';
import { SessionRowsResult, SessionStatusResult, sessionRows, sessionStatus } from './session-views.ts';

const sessionId = IdPrefix('session');
const ids = { sessionId: 'session' } as const;
const PERMISSION_MODE =
  'What the agent may do without asking; the effective mode may be stricter, but never more permissive';
const PERMISSION_CEILING = 'Most permissive mode that is allowed; only people can set it';
const VISIBILITY =
  'workspace: visible to everyone who uses this console; private: only to its owner and the local owner. Inherited by children; only people can set it';
const own = { ids, target: 'sessionId' } as const;

const storedAgent = described(StoredAgentId, 'Id of an agent definition');
const query = described(
  SearchText,
  `All words must occur in one text; "…" for a phrase, word* for a prefix of at least ${SEARCH_PREFIX_MIN_CHARS} characters`,
);
const searchLimit = v.optional(
  wholeNumber(`Number of rows, 1 to ${SEARCH_LIMIT_MAX}`, 1, SEARCH_LIMIT_MAX),
  SEARCH_LIMIT_DEFAULT,
);

/** Search filters. Without filters, all sessions visible to the caller are searched. */
const searchFilter = {
  status: v.optional(described(SessionStatus, 'Filter by status')),
  worktreeId: v.optional(IdPrefix('worktree')),
  repositoryId: v.optional(IdPrefix('repository')),
  boardId: v.optional(described(IdPrefix('board'), 'Filter by board of the worktree')),
  archived: v.optional(
    described(v.boolean(), 'true: only archived sessions; false: only sessions that are not archived'),
  ),
};
const searchPage = { limit: searchLimit, skip: PageInput.skip };

const Excerpt = {
  messageId: described(
    v.nullable(v.string()),
    'Id of the matching message; null when only a queued prompt, the title or the description matches',
  ),
  seq: described(v.nullable(v.number()), 'Position of the message in the conversation, from 1; null without a message'),
  snippet: described(v.string(), 'Excerpt around the match, on one line, as plain text'),
  marks: described(
    v.array(
      v.object({
        start: described(v.number(), 'Start of a matching word in the snippet, in UTF-16 code units'),
        end: described(v.number(), 'End of the matching word in the snippet, in UTF-16 code units, exclusive'),
      }),
    ),
    'Positions of the matching words in the snippet',
  ),
};

const SessionMatch = v.object({
  session: described(Session, 'Matching session'),
  ...Excerpt,
  taskId: nullableIdOf('task', 'Id of the queued task whose prompt matches, if no message matches; otherwise null'),
  more: described(
    v.array(v.object(Excerpt)),
    'Further matching messages of the session, newest first, if the caller requested them',
  ),
  matches: described(v.number(), 'Number of texts of the session that match'),
});
export type SessionMatch = v.InferOutput<typeof SessionMatch>;

export const sessions = [
  // Must come before `sessions.get`, whose path would otherwise match `/sessions/search`, with `search` as an id.
  operation({
    name: 'sessions.search',
    summary: 'Find sessions by words in their messages, queued prompts, titles and descriptions, newest match first',
    access: 'workspace-read',
    ids: { worktreeId: 'worktree', repositoryId: 'repository', boardId: 'board' },
    rest: { method: 'GET', path: '/sessions/search' },
    cli: {
      command: 'sessions search',
      also: ['session search'],
      positional: ['query'],
      columns: ['session.id', 'session.title', 'session.status', 'matches', 'snippet'],
    },
    tool: {
      name: 'agor_sessions_search',
      toolset: 'sessions',
      description:
        'Find sessions by words in their messages, queued prompts, titles and descriptions, newest match first, one row for each session. Read more with agor_sessions_get and includeMessages.',
      input: v.strictObject({ query, agent: v.optional(storedAgent), ...searchFilter, ...searchPage }),
      output: AgorSearch,
      names: { agent: 'agentId' },
      toResult: agorSearch,
    },
    example: { query: 'login redirect' },
    input: v.strictObject({
      query,
      agentId: v.optional(storedAgent),
      ...searchFilter,
      excerpts: v.optional(
        wholeNumber(
          `Matching messages to return for each session, 1 to ${SEARCH_EXCERPTS_MAX}`,
          1,
          SEARCH_EXCERPTS_MAX,
        ),
        1,
      ),
      ...searchPage,
    }),
    output: v.object({
      ...pageOf(SessionMatch).entries,
      truncated: described(v.boolean(), 'Whether older texts were not searched; narrow the query to find them'),
    }),
  }),
  operation({
    name: 'sessions.list',
    summary: 'Sessions, newest first',
    access: 'workspace-read',
    ids: { worktreeId: 'worktree', repositoryId: 'repository', boardId: 'board' },
    rest: { method: 'GET', path: '/sessions' },
    cli: { command: 'sessions list', columns: sessionColumns },
    tool: {
      name: 'list_sessions',
      toolset: 'delegation',
      description: 'List active sessions (with a live worker), newest first: their workers and what each is doing.',
      input: v.strictObject({
        limit: v.optional(wholeNumber('Number of rows, at most 500', 1, 500)),
        skip: v.optional(wholeNumber('Number of rows to skip', 0)),
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
    example: { status: 'failed' },
    input: v.strictObject({
      ...PageInput,
      status: v.optional(described(SessionStatus, 'Filter by status')),
      shownStatus: v.optional(
        described(
          AgorSessionStatus,
          'Filter by status, where an idle spawned or forked session has the outcome of its last prompt as its status',
        ),
      ),
      agentId: v.optional(described(AgentId, 'Filter by id of the agent definition')),
      label: v.optional(described(Label, 'Filter by label')),
      worktreeId: v.optional(IdPrefix('worktree')),
      repositoryId: v.optional(IdPrefix('repository')),
      boardId: v.optional(IdPrefix('board')),
      live: v.optional(
        described(v.boolean(), 'true: only sessions with a live worker; false: only sessions without a live worker'),
      ),
      archived: v.optional(
        described(v.boolean(), 'true: only archived sessions; false: only sessions that are not archived'),
        false,
      ),
    }),
    output: pageOf(Session),
  }),
  operation({
    name: 'sessions.create',
    summary:
      'Create a session in a worktree, or (people only) a quick session in a directory; a first prompt starts its agent',
    access: 'self',
    ids: { worktreeId: 'worktree', mcpServerIds: 'mcpServer' },
    idempotent: true,
    peopleOnly: ['permissionCeiling', 'visibility'],
    rest: { method: 'POST', path: '/sessions', status: 201 },
    cli: { command: 'sessions create' },
    alsoTools: [agorSessionsCreate],
    example: { worktreeId: '0193a1b2-c3d4-7e5f', agentId: 'claude-code', initialPrompt: 'Speed up the search' },
    input: v.pipe(
      v.strictObject({
        worktreeId: v.optional(
          described(IdPrefix('worktree'), 'Worktree to work in, by id or prefix; use either worktreeId or cwd'),
        ),
        cwd: v.optional(
          described(
            AbsolutePath,
            'Absolute path of the directory of a quick session (people only); use either worktreeId or cwd',
          ),
        ),
        agentId: v.optional(
          described(
            AgentId,
            "Id of an agent definition; default: the caller's own, otherwise the setting defaultAgentId",
          ),
        ),
        title: v.optional(described(Title, 'Title; may be empty')),
        description: v.optional(described(LongText, 'Description; may be empty')),
        permissionMode: v.optional(described(PermissionMode, PERMISSION_MODE)),
        permissionCeiling: v.optional(described(PermissionMode, PERMISSION_CEILING)),
        visibility: v.optional(described(Visibility, VISIBILITY)),
        initialPrompt: v.optional(described(PromptText, 'First prompt; starts the agent at once')),
        contextFiles: v.optional(ContextFiles, []),
        mcpServerIds: v.optional(McpServerIds, []),
        idempotencyKey: IdempotencyKey,
      }),
      v.check(
        (input) => (input.worktreeId === undefined) !== (input.cwd === undefined),
        'pass either `worktreeId` or `cwd`',
      ),
    ),
    output: v.object({
      ...Session.entries,
      ...SessionAttachments.entries,
      taskId: v.optional(idOf('task', 'Id of the task of the first prompt; absent without a first prompt')),
    }),
  }),
  operation({
    name: 'sessions.get',
    summary: 'One session with its workers and tasks',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/sessions/:sessionId' },
    cli: { command: 'sessions get', positional: ['sessionId'] },
    tool: {
      name: 'get_session_status',
      toolset: 'delegation',
      description:
        'Status of one session: whether it has a live worker, what each worker is doing (with source and time), and its current or last task.',
      input: v.strictObject({ sessionId }),
      output: SessionStatusResult,
      toResult: sessionStatus,
    },
    alsoTools: [agorSessionsGet, agorSessionsGetCurrent],
    resource: {
      uri: 'agor://session/{id}',
      name: 'session',
      description: 'One session with its workers and tasks: its status, and the outcome of each prompt.',
      id: 'sessionId',
      offers: {
        from: 'sessions.list',
        id: (session: { id: string }) => session.id,
        title: (session: { id: string; title: string }) => session.title || `Session ${shortId(session.id)}`,
      },
    },
    input: v.strictObject({
      sessionId: v.optional(described(sessionId, "Session, by id or prefix; default: the caller's own")),
      includeMessages: v.optional(described(v.boolean(), 'Include the newest 50 messages, oldest first'), false),
      messagesFrom: v.optional(
        wholeNumber('Include up to 50 messages starting at this number (seq) instead of the newest', 1),
      ),
      includePlace: v.optional(described(v.boolean(), 'Include the worktree, its repository and its board'), false),
    }),
    output: SessionWithTasks,
  }),
  operation({
    name: 'sessions.update',
    summary:
      'Change the title, description, labels, status, permission mode or (people only) permission ceiling, visibility or budget of a session, or report the progress of its task',
    access: 'subtree',
    ...own,
    peopleOnly: ['visibility', 'budget'],
    rest: { method: 'PATCH', path: '/sessions/:sessionId' },
    cli: { command: 'sessions update', positional: ['sessionId'] },
    alsoTools: [agorSessionsUpdate],
    example: { title: 'Faster search' },
    input: v.pipe(
      v.strictObject({
        sessionId,
        title: v.optional(described(Title, 'Title; empty clears it')),
        description: v.optional(described(LongText, 'Description; empty clears it')),
        status: v.optional(SettableStatus),
        permissionMode: v.optional(described(PermissionMode, PERMISSION_MODE)),
        permissionCeiling: v.optional(described(PermissionMode, PERMISSION_CEILING)),
        visibility: v.optional(described(Visibility, VISIBILITY)),
        labels: v.optional(described(Labels, 'Labels; replaces all existing labels')),
        progress: v.optional(described(TaskProgress, 'Completed fraction of the running task, 0 to 1')),
        budget: v.optional(
          described(
            v.nullable(Budget),
            'Limits of the session and the sessions it starts; replaces all limits; null removes them',
          ),
        ),
      }),
      v.check(
        ({ sessionId: _, ...fields }) => Object.values(fields).some((field) => field !== undefined),
        'At least one field to change is required',
      ),
    ),
    output: Session,
  }),
  operation({
    name: 'sessions.remove',
    summary: 'Remove a session that has no live worker, and its tasks, messages and output',
    access: 'member',
    ...own,
    rest: { method: 'DELETE', path: '/sessions/:sessionId' },
    cli: { command: 'sessions remove', positional: ['sessionId'] },
    input: v.strictObject({ sessionId }),
    output: Session,
  }),
] as const;
