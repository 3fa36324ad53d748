import * as v from 'valibot';
import {
  BranchResult,
  branchResult,
  GenealogyResult,
  genealogyResult,
  PromptResult,
  promptResult,
} from '../agor/session-results.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { GENEALOGY_DEPTH_MAX, GENEALOGY_MAX } from '../limits/answers.ts';
import { BRANCH_SYNC_SECONDS } from '../limits/calls.ts';
import { AgentId } from '../models/agent.ts';
import { PermissionMode, SessionStatus } from '../models/session.ts';
import { TaskOutcome, TaskStatus } from '../models/task.ts';
import { operation } from '../operation.ts';
import { PromptText, Title } from '../text.ts';
import { ON_WORKTREES } from './session-tools.ts';

const sessionId = IdPrefix('session');
const ids = { sessionId: 'session', taskId: 'task' } as const;
const own = { ids, target: 'sessionId' } as const;

const depth = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1),
  v.maxValue(GENEALOGY_DEPTH_MAX),
  v.description(`Levels below it, at most ${GENEALOGY_DEPTH_MAX}; default 2`),
);
const mode = v.picklist(['continue', 'fork', 'subsession']);
const prompt = v.pipe(PromptText, v.description('The work to do'));
const agent = v.pipe(AgentId, v.description("Id of an agent definition; default: the session's own agent"));

/** What may be said of a session that begins with another one. */
const begin = {
  permissionMode: v.optional(v.pipe(PermissionMode, v.description("Default: the session's own mode"))),
  title: v.optional(v.pipe(Title, v.description('Title of the new session; default: the first line of the prompt'))),
  taskId: v.optional(v.pipe(IdPrefix('task'), v.description('Task of the session at which the new one begins'))),
  notifyOnCompletion: v.optional(
    v.pipe(v.boolean(), v.description('false: you are not typed a notice when the work ends')),
    true,
  ),
  sync: v.optional(
    v.pipe(v.boolean(), v.description(`Wait until the work ends, at most ${BRANCH_SYNC_SECONDS} s`)),
    false,
  ),
  idempotencyKey: IdempotencyKey,
};

/** The session that a prompt began, and how its work stands. */
const Branch = v.object({
  sessionId: v.string(),
  taskId: v.string(),
  status: TaskStatus,
  /** With `sync`: what the agent said last, or null. */
  summary: v.optional(v.nullable(v.string())),
  /** With `sync`: the work goes on, and the time was over. */
  timedOut: v.optional(v.literal(true)),
  warnings: v.array(v.string()),
});
export type Branch = v.InferOutput<typeof Branch>;

const NewSessionInput = v.strictObject({
  sessionId: v.optional(v.pipe(sessionId, v.description("Default: the caller's own session"))),
  prompt,
  agentId: v.optional(agent),
  ...begin,
});

const NewSessionArguments = v.strictObject({
  sessionId: v.optional(v.pipe(sessionId, v.description('Default: your own session'))),
  prompt,
  agenticTool: v.optional(agent),
  ...begin,
});

const Relative = v.object({
  id: v.string(),
  title: v.string(),
  agentId: v.string(),
  status: SessionStatus,
  outcome: v.nullable(TaskOutcome),
  relation: v.picklist(['spawn', 'fork']),
});
export type Relative = v.InferOutput<typeof Relative>;

const Descendant = v.object({ ...Relative.entries, parentId: v.string(), level: v.number() });
export type Descendant = v.InferOutput<typeof Descendant>;

/** Prompts, and the sessions that begin with one. */
export const sessionBranches = [
  operation({
    name: 'sessions.prompt',
    summary: 'Give a session a prompt, or begin a fork or subsession of it with the prompt',
    effect: 'write',
    access: 'subtree',
    ...own,
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/prompt' },
    cli: { command: 'sessions prompt', positional: ['sessionId', 'prompt'] },
    tool: {
      name: 'agor_sessions_prompt',
      toolset: 'sessions',
      description:
        'Give a session work. mode says how: continue appends to its conversation (queued while it is busy), fork begins a copy of its conversation, subsession begins a child that knows only your prompt. All stay in its worktree.',
      input: v.strictObject({
        sessionId,
        prompt,
        mode: v.pipe(mode, v.description('How the work is routed')),
        agenticTool: v.optional(agent),
        ...begin,
      }),
      output: PromptResult,
      names: { agenticTool: 'agentId' },
      toResult: promptResult,
    },
    input: v.strictObject({
      sessionId,
      prompt,
      mode: v.optional(mode, 'continue'),
      agentId: v.optional(agent),
      ...begin,
    }),
    output: v.object({
      ...v.partial(Branch, ['status', 'warnings']).entries,
      queued: v.optional(v.boolean()),
      queuePosition: v.optional(v.number()),
    }),
  }),
  operation({
    name: 'sessions.fork',
    summary: 'Begin a session with a copy of another one’s conversation, in the same worktree',
    effect: 'write',
    access: 'subtree',
    ...own,
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/fork', status: 201 },
    cli: { command: 'sessions fork', positional: ['sessionId'] },
    tool: {
      name: 'agor_sessions_fork',
      toolset: 'sessions',
      byDefault: false,
      description:
        'Begin a session with a copy of the conversation of another one (by default your own) and give it a prompt; it works in the same worktree. The same as agor_sessions_prompt with mode fork. Only for the same agent, where that can fork: else use a subsession.',
      input: NewSessionArguments,
      notTaken: { zoneId: ON_WORKTREES },
      output: BranchResult,
      names: { agenticTool: 'agentId' },
      toResult: branchResult,
    },
    input: NewSessionInput,
    output: Branch,
  }),
  operation({
    name: 'sessions.spawn',
    summary: 'Begin a subsession: a child with a fresh conversation, in the same worktree',
    effect: 'write',
    access: 'subtree',
    ...own,
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/spawn', status: 201 },
    cli: { command: 'sessions spawn', also: ['session subsession'], positional: ['sessionId'] },
    tool: {
      name: 'agor_sessions_spawn',
      toolset: 'sessions',
      byDefault: false,
      description:
        'Begin a child session that knows only your prompt, in the same worktree. The same as agor_sessions_prompt with mode subsession. agor_sessions_get shows how it ended as its status.',
      input: v.strictObject({
        ...NewSessionArguments.entries,
        parentId: v.optional(v.pipe(sessionId, v.description('The same as sessionId'))),
        agent: v.optional(v.pipe(agent, v.description('The same as agenticTool'))),
      }),
      output: BranchResult,
      notTaken: { zoneId: ON_WORKTREES },
      names: { parentId: 'sessionId', agenticTool: 'agentId', agent: 'agentId' },
      toResult: branchResult,
    },
    input: NewSessionInput,
    output: Branch,
  }),
  operation({
    name: 'sessions.genealogy',
    summary: 'Where a session came from, which sessions came from it, and which came from the same one',
    effect: 'read',
    access: 'workspace-read',
    ids: { sessionId: 'session' },
    rest: { method: 'GET', path: '/sessions/:sessionId/genealogy' },
    cli: {
      command: 'sessions genealogy',
      positional: ['sessionId'],
      rows: 'children',
      columns: ['level', 'id', 'relation', 'parentId', 'agentId', 'status', 'title'],
    },
    tool: {
      name: 'agor_sessions_genealogy',
      toolset: 'sessions',
      description:
        'The parent of a session, its siblings, and the sessions below it down to depth. truncated: there are more; depth 1 or a limit shows others.',
      input: v.strictObject({
        sessionId,
        depth: v.optional(depth),
        limit: v.optional(
          v.pipe(
            v.number(),
            v.safeInteger(),
            v.minValue(1),
            v.maxValue(GENEALOGY_MAX),
            v.description('Sessions in each list; default: what fits in 9 kB'),
          ),
        ),
      }),
      toInput: ({ limit: _, ...args }: { limit?: number }) => args,
      output: GenealogyResult,
      toResult: genealogyResult,
    },
    input: v.strictObject({
      sessionId,
      depth: v.optional(depth, 2),
    }),
    output: v.object({
      sessionId: v.string(),
      parent: v.nullable(Relative),
      siblings: v.array(Relative),
      children: v.array(Descendant),
      truncated: v.boolean(),
    }),
  }),
] as const;
