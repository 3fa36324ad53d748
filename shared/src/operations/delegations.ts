import * as v from 'valibot';
import { delegationColumns } from '../columns.ts';
import { described } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { CALL_MAX_MS } from '../limits/calls.ts';
import { PROMPT_IMAGES_BODY_MAX_BYTES, PROMPT_IMAGES_MAX } from '../limits/images.ts';
import { AgentId } from '../models/agent.ts';
import { Delegation, DelegationResult } from '../models/delegation.ts';
import { ImageData } from '../models/image.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { BranchName, Commitish } from '../ref-name.ts';
import { PromptText, Title } from '../text.ts';
import { McpServerIds } from './mcp-servers.ts';

/**
 * Input of a delegation without images. Images are not passed over MCP, because an agent can name image files in its
 * prompt.
 */
const request = {
  prompt: described(PromptText, 'Task for the new agent: complete and self-contained'),
  baseBranch: v.optional(described(Commitish, 'Branch, tag or commit to start from; default: the default branch')),
  branch: v.optional(described(BranchName, 'Name of the new branch; default: derived from the prompt')),
  agentId: v.optional(described(AgentId, "Agent id; default: the caller's own, or the default agent")),
  title: v.optional(described(Title, 'Title of the new session')),
  useRemote: v.optional(described(v.boolean(), 'Fetch baseBranch from origin first'), false),
  repositoryId: v.optional(
    described(IdPrefix('repository'), "Repository, by id or prefix; default: the calling agent's"),
  ),
  mcpServerIds: v.optional(McpServerIds),
  notifyOnCompletion: v.optional(described(v.boolean(), 'false: do not notify the caller when the work ends'), true),
  idempotencyKey: IdempotencyKey,
};

const images = described(
  v.pipe(v.array(v.strictObject({ data: ImageData })), v.maxLength(PROMPT_IMAGES_MAX)),
  `Images that the agent sees with the prompt, at most ${PROMPT_IMAGES_MAX}`,
);

export const delegations = [
  operation({
    name: 'delegations.create',
    summary: 'Delegate work: create a worktree and a session in it, and give its agent the prompt',
    access: 'self',
    ids: { repositoryId: 'repository', mcpServerIds: 'mcpServer' },
    idempotent: true,
    rest: { method: 'POST', path: '/delegations', status: 201, bodyMaxBytes: PROMPT_IMAGES_BODY_MAX_BYTES },
    cli: {
      command: 'delegate',
      positional: ['prompt'],
      here: ['repositoryId'],
      follows: true,
      uploads: {
        option: 'image',
        help: 'PNG, JPEG, WebP or GIF that the agent sees with the prompt; can be repeated',
        content: 'data',
        field: 'images',
      },
      examples: [
        'delegate "Fix the flaky login test"',
        'delegate "Add a health route" --repository shop --branch health --agent claude-code',
        'delegate "Fix the layout of the header" --image screenshot.png',
        'delegate - --wait < task.md && agent-console integrate health',
      ],
    },
    tool: {
      name: 'delegate_to_worktree',
      toolset: 'delegation',
      description: `Delegate work to a new agent in its own new git worktree. Returns when the agent starts on the prompt (or after ${CALL_MAX_MS / 1000} s with state "preparing"). You are notified when the task ends; you need not wait.`,
      input: v.strictObject(request),
    },
    example: {
      repositoryId: '0193a1b2-c3d4-7e5f',
      agentId: 'scripted',
      prompt: '@write hello.txt Hello from an agent\n@commit Say hello\n@report succeeded hello.txt is committed',
    },
    input: v.strictObject({ ...request, images: v.optional(images) }),
    output: DelegationResult,
  }),
  operation({
    name: 'delegations.list',
    summary: 'Delegations, newest first',
    access: 'workspace-read',
    ids: { parentSessionId: 'session' },
    rest: { method: 'GET', path: '/delegations' },
    cli: { command: 'delegations list', columns: delegationColumns },
    input: v.strictObject({
      parentSessionId: v.optional(
        described(IdPrefix('session'), 'Filter by the session that delegated, by id or prefix'),
      ),
      ...PageInput,
    }),
    output: pageOf(Delegation),
  }),
  operation({
    name: 'delegations.get',
    summary: 'One delegation with its state and any failure',
    access: 'workspace-read',
    ids: { delegationId: 'delegation' },
    rest: { method: 'GET', path: '/delegations/:delegationId' },
    cli: { command: 'delegations get', positional: ['delegationId'] },
    input: v.strictObject({ delegationId: IdPrefix('delegation') }),
    output: Delegation,
  }),
] as const;
