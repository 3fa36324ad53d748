import * as v from 'valibot';
import {
  BranchResult,
  branchResult,
  GenealogyResult,
  genealogyResult,
  PromptResult,
  promptResult,
} from '../agor/session-results.ts';
import { described, wholeNumber } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix, idOf, ownId } from '../ids.ts';
import { GENEALOGY_DEPTH_MAX, GENEALOGY_MAX } from '../limits/answers.ts';
import { BRANCH_SYNC_SECONDS } from '../limits/calls.ts';
import { PROMPT_IMAGES_MAX } from '../limits/images.ts';
import { AgentId } from '../models/agent.ts';
import { ImageId } from '../models/image.ts';
import { PermissionMode, Session, SessionStatus } from '../models/session.ts';
import { TaskStatus } from '../models/task.ts';
import { operation } from '../operation.ts';
import { PromptText, Title } from '../text.ts';
import { ON_WORKTREES } from './session-tools.ts';

const sessionId = IdPrefix('session');
const ids = { sessionId: 'session', taskId: 'task' } as const;
const own = { ids, target: 'sessionId' } as const;

const depth = wholeNumber(`Levels of descendants, at most ${GENEALOGY_DEPTH_MAX}; default 2`, 1, GENEALOGY_DEPTH_MAX);
const mode = described(
  v.picklist(['continue', 'fork', 'subsession']),
  'continue: prompt this session; fork and subsession: start another session with the prompt',
);
const prompt = described(PromptText, 'Prompt: the work to do');
const agent = described(AgentId, "Id of an agent definition; default: the session's own agent");

const images = described(
  v.pipe(v.array(ImageId), v.maxLength(PROMPT_IMAGES_MAX)),
  `Ids of uploaded images that the agent sees with the prompt, at most ${PROMPT_IMAGES_MAX}; only with mode continue`,
);

const startFields = {
  permissionMode: v.optional(
    described(PermissionMode, "New session's mode; default: the given session's, within the caller's ceiling"),
  ),
  title: v.optional(described(Title, 'Title of the new session; default: the first line of the prompt')),
  taskId: v.optional(described(IdPrefix('task'), 'Task after which to branch off, by id or prefix')),
  notifyOnCompletion: v.optional(described(v.boolean(), 'false: do not notify the caller when the work ends'), true),
  sync: v.optional(described(v.boolean(), `Wait until the work ends, at most ${BRANCH_SYNC_SECONDS} s`), false),
  idempotencyKey: IdempotencyKey,
};

/** A session that was forked or spawned with a prompt, and the status of the prompt's task. */
const Branch = v.object({
  sessionId: idOf('session', 'Id of the session that works on the prompt'),
  taskId: idOf('task', 'Id of the task created from the prompt'),
  status: described(TaskStatus, 'Status of the task'),
  summary: v.optional(described(v.nullable(v.string()), 'With sync: summary or error of the task, or null')),
  timedOut: v.optional(described(v.literal(true), 'With sync: set if the wait timed out and the work continues')),
  warnings: described(v.array(v.string()), 'Problems that did not prevent the prompt from being sent'),
});
export type Branch = v.InferOutput<typeof Branch>;

const NewSessionInput = v.strictObject({
  sessionId: v.optional(described(sessionId, "Session, by id or prefix; default: the caller's own")),
  prompt,
  agentId: v.optional(agent),
  ...startFields,
});

const NewSessionArguments = v.strictObject({
  sessionId: v.optional(described(sessionId, 'Original or parent session; default: your own')),
  prompt,
  agenticTool: v.optional(agent),
  ...startFields,
});

const Relative = v.object({
  id: ownId('Session'),
  title: Session.entries.title,
  agentId: Session.entries.agentId,
  status: described(SessionStatus, 'Status of the session'),
  outcome: Session.entries.outcome,
  relation: described(
    v.picklist(['spawn', 'fork']),
    'spawn: started with an empty conversation; fork: started with a copy of the conversation',
  ),
});
export type Relative = v.InferOutput<typeof Relative>;

const Descendant = v.object({
  ...Relative.entries,
  parentId: idOf('session', 'Id of the parent or original session'),
  level: described(
    v.number(),
    'Distance from the requested session: 1 for its children and forks, 2 for their children and forks, and so on',
  ),
});
export type Descendant = v.InferOutput<typeof Descendant>;

export const sessionPrompts = [
  operation({
    name: 'sessions.prompt',
    summary: 'Prompt a session, or start a fork or subsession with the prompt',
    access: 'subtree',
    ...own,
    idempotent: true,
    rest: { method: 'POST', path: '/sessions/:sessionId/prompt' },
    cli: {
      command: 'sessions prompt',
      positional: ['sessionId', 'prompt'],
      follows: true,
      uploads: {
        option: 'image',
        help: 'PNG, JPEG, WebP or GIF that the agent sees with the prompt; can be repeated',
        operation: 'sessions.addImage',
        answer: 'imageId',
        field: 'images',
      },
      examples: [
        'sessions prompt "Fix the login" "Also add a test" --follow',
        'sessions prompt "Fix the login" "The button is cut off" --image screenshot.png',
      ],
    },
    tool: {
      name: 'agor_sessions_prompt',
      toolset: 'sessions',
      description:
        'Give a session work. mode continue appends to its conversation (queued while it is busy), fork starts a session with a copy of its conversation, subsession starts a child that knows only your prompt. All stay in its worktree.',
      input: v.strictObject({
        sessionId,
        prompt,
        mode,
        agenticTool: v.optional(agent),
        ...startFields,
      }),
      output: PromptResult,
      names: { agenticTool: 'agentId' },
      toResult: promptResult,
    },
    example: { prompt: 'Also add a test' },
    input: v.strictObject({
      sessionId,
      prompt,
      images: v.optional(images),
      mode: v.optional(mode, 'continue'),
      agentId: v.optional(agent),
      ...startFields,
    }),
    output: v.object({
      ...v.partial(Branch, ['status', 'warnings']).entries,
      queued: v.optional(described(v.boolean(), 'Whether the prompt waits in the queue')),
      queuePosition: v.optional(
        described(v.number(), 'Position in the queue, 1 is next; omitted if the prompt need not wait'),
      ),
    }),
  }),
  operation({
    name: 'sessions.fork',
    summary: 'Fork a session: start a session with a copy of its conversation, in the same worktree',
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
        'Fork a session: start a session with a copy of its conversation, in the same worktree, and give it a prompt. The same as agor_sessions_prompt with mode fork. The agent must stay the same and support forks; otherwise use a subsession.',
      input: NewSessionArguments,
      refusedArguments: { zoneId: ON_WORKTREES },
      output: BranchResult,
      names: { agenticTool: 'agentId' },
      toResult: branchResult,
    },
    example: { prompt: 'Try another way' },
    input: NewSessionInput,
    output: Branch,
  }),
  operation({
    name: 'sessions.spawn',
    summary: 'Start a subsession: a child with an empty conversation, in the same worktree',
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
        'Start a child session that knows only your prompt, in the same worktree. The same as agor_sessions_prompt with mode subsession. Its status in agor_sessions_get shows how it ended.',
      input: v.strictObject({
        ...NewSessionArguments.entries,
        parentId: v.optional(described(sessionId, 'The same as sessionId')),
        agent: v.optional(described(agent, 'The same as agenticTool')),
      }),
      output: BranchResult,
      refusedArguments: { zoneId: ON_WORKTREES },
      names: { parentId: 'sessionId', agenticTool: 'agentId', agent: 'agentId' },
      toResult: branchResult,
    },
    example: { prompt: 'Review the changes' },
    input: NewSessionInput,
    output: Branch,
  }),
  operation({
    name: 'sessions.genealogy',
    summary: 'Parent, siblings and descendants of a session',
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
      description: `The parent and siblings of a session, and its descendants down to depth. If truncated is true, sessions were left out: pass depth 1 (children only) or limit (up to ${GENEALOGY_MAX}).`,
      input: v.strictObject({
        sessionId,
        depth: v.optional(depth),
        limit: v.optional(
          wholeNumber(
            'Maximum sessions in each list; default: as many as fit into 9 kB, children first',
            1,
            GENEALOGY_MAX,
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
      sessionId: idOf('session', 'Id of the requested session'),
      parent: described(v.nullable(Relative), 'Parent or original session, or null'),
      siblings: described(v.array(Relative), 'Other sessions spawned or forked from the same session'),
      children: described(v.array(Descendant), 'Descendants of the requested session, down to the requested depth'),
      truncated: described(v.boolean(), 'Whether some relatives are left out of the lists'),
    }),
  }),
] as const;
