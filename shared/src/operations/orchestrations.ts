import * as v from 'valibot';
import { described, wholeNumber } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { PAGE_MAX, TOOL_LIST_DEFAULT } from '../limits/answers.ts';
import {
  AGENT_NAME_MAX_CHARS,
  AGENT_TIMEOUT_SECONDS_DEFAULT,
  AGENT_TIMEOUT_SECONDS_MAX,
  ATTEMPTS_MAX,
  METADATA_MAX_BYTES,
  ORCHESTRATION_AGENTS_MAX,
  ORCHESTRATION_DEPENDENCIES_MAX,
} from '../limits/orchestrations.ts';
import { AgentId } from '../models/agent.ts';
import { Budget } from '../models/budget.ts';
import {
  FailurePolicy,
  Orchestration,
  OrchestrationAgent,
  OrchestrationEvent,
  OrchestrationIsolation,
  OrchestrationState,
  OrchestrationStatus,
  OrchestrationStrategy,
  RecoveryPolicy,
} from '../models/orchestration.ts';
import { PermissionMode } from '../models/session.ts';
import { TaskProgress } from '../models/task.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { BranchName, Commitish } from '../ref-name.ts';
import { LongText, PromptText, SearchText } from '../text.ts';
import { AfterSeq } from './fields.ts';
import {
  ChangedOrchestration,
  changedOrchestration,
  OrchestrationRows,
  OrchestrationToolResult,
  orchestrationResult,
  orchestrationRows,
  ReportedAgent,
  reportedAgent,
} from './orchestration-tools.ts';

const orchestrationId = IdPrefix('orchestration');
const ids = { orchestrationId: 'orchestration' } as const;
const own = { access: 'subtree', ids, target: 'orchestrationId' } as const;
const tool = { toolset: 'orchestrations' } as const;
const changingTool = { ...tool, output: ChangedOrchestration, toResult: changedOrchestration } as const;

const agentName = v.pipe(
  v.string(),
  v.maxLength(AGENT_NAME_MAX_CHARS),
  v.regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
    'may only contain letters, digits, "_", "-" and ".", and must start with a letter or digit',
  ),
);
const AgentName = described(agentName, 'Name of the agent within the orchestration');

/** Caller-defined data: any JSON object within the size limit. */
const Metadata = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= METADATA_MAX_BYTES,
    `is too large; at most ${METADATA_MAX_BYTES} bytes as JSON are allowed`,
  ),
);

/** One agent of an orchestration, as given by the caller. */
export const AgentSpec = v.strictObject({
  agentId: v.optional(described(agentName, 'Name of the agent; default: its role with a suffix or number')),
  role: described(agentName, 'Role, such as reviewer'),
  suffix: v.optional(described(agentName, 'Suffix of the default name')),
  task: described(PromptText, 'Task of the agent: complete and self-contained'),
  dependencies: v.optional(
    described(
      v.pipe(v.array(agentName), v.maxLength(ORCHESTRATION_DEPENDENCIES_MAX)),
      'Names of agents that must complete first; the prompt contains their results',
    ),
    [],
  ),
  agenticTool: v.optional(
    described(AgentId, "Id of an agent definition; default: the caller's own, or the default agent"),
  ),
  permissionMode: v.optional(
    described(PermissionMode, 'What the agent may do without asking; never more than the caller may'),
  ),
  stage: v.optional(wholeNumber('Stage in a pipeline, from 0', 0, ORCHESTRATION_AGENTS_MAX), 0),
  allowFailure: v.optional(described(v.boolean(), 'true: dependent agents run even if this agent fails'), false),
  maxAttempts: v.optional(wholeNumber('Maximum number of attempts', 1, ATTEMPTS_MAX), 1),
  timeoutSeconds: v.optional(
    wholeNumber('Maximum seconds of an attempt; a longer one fails', 1, AGENT_TIMEOUT_SECONDS_MAX),
    AGENT_TIMEOUT_SECONDS_DEFAULT,
  ),
});
export type AgentSpec = v.InferOutput<typeof AgentSpec>;

const specs = v.pipe(v.array(AgentSpec), v.maxLength(ORCHESTRATION_AGENTS_MAX));

/** Fields that describe an orchestration, both in a call and in a definition file. */
export const orchestrationFields = {
  objective: described(PromptText, 'What the agents are to achieve together'),
  strategy: v.optional(
    described(
      OrchestrationStrategy,
      'parallel: all agents at once; sequential: one after another; adaptive: each when its dependencies have completed; pipeline: stage by stage',
    ),
    'parallel',
  ),
  isolation: v.optional(
    described(OrchestrationIsolation, 'own: one worktree for each agent; shared: one worktree for all'),
    'own',
  ),
  baseBranch: v.optional(described(Commitish, 'Branch, tag or commit to start from; default: the default branch')),
  maxConcurrent: v.optional(wholeNumber('Maximum agents running at the same time', 1, ORCHESTRATION_AGENTS_MAX)),
  onFailure: v.optional(
    described(FailurePolicy, 'continue: a failure skips only dependent agents; fail_fast: it cancels all others'),
    'continue',
  ),
  onInterrupted: v.optional(described(RecoveryPolicy, 'What happens to an agent whose process was lost'), 'resume'),
  metadata: v.optional(described(Metadata, 'Your own data; the console does not interpret it'), {}),
  budget: v.optional(described(Budget, 'Limits; when one is reached, a person decides whether to continue')),
  roleLimits: v.optional(
    described(
      v.record(agentName, wholeNumber('Maximum for the role', 1, 1_000)),
      'Maximum agents running at the same time, by role',
    ),
    {},
  ),
  acceptUnreported: v.optional(
    described(v.boolean(), 'Count an agent that ends without reporting a result as completed'),
    false,
  ),
  integrate: v.optional(
    described(
      v.strictObject({
        into: described(BranchName, 'Branch that receives the work of all agents; must not be the base branch'),
        check: v.optional(described(v.boolean(), 'Run the check command on the integrated branch'), false),
        resolve: v.optional(described(v.boolean(), 'Have an agent resolve merge conflicts'), false),
      }),
      'Combine the branches of the agents at the end of the orchestration',
    ),
  ),
  agents: described(specs, 'Agents, in the order in which the strategy sequential runs them'),
};

const createFields = {
  ...orchestrationFields,
  repositoryId: v.optional(
    described(IdPrefix('repository'), "Repository, by id or prefix; default: the calling agent's"),
  ),
  start: v.optional(described(v.boolean(), 'Start the orchestration at once'), false),
};

const listFilter = {
  query: v.optional(
    described(SearchText, 'Words that must all occur in objective, definition, strategy or repository'),
  ),
  state: v.optional(described(OrchestrationState, 'Filter by state')),
  pausedBy: v.optional(
    described(
      v.picklist(['person', 'session', 'budget']),
      'Filter by cause of the pause; budget: a person must raise the budget',
    ),
  ),
  workspaceHash: v.optional(
    described(
      v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/, 'must be 16 characters, only 0-9 and a-f')),
      'Filter by hash of the path of the common git directory',
    ),
  ),
  repositoryId: v.optional(described(IdPrefix('repository'), 'Filter by repository')),
  createdBySessionId: v.optional(described(IdPrefix('session'), 'Filter by the creating session')),
  archived: v.optional(described(v.boolean(), 'true: only archived ones; false: only those not archived')),
};
const ToolLimit = v.optional(wholeNumber(`Number of rows, 1 to ${PAGE_MAX}`, 1, PAGE_MAX), TOOL_LIST_DEFAULT);

type Row = v.InferOutput<typeof Orchestration>;

const columns = [
  'id',
  'objective',
  'strategy',
  { heading: 'STATE', path: 'state', as: 'state' },
  {
    heading: 'NEEDS YOU',
    value: ({ pausedBy, pausedAt }: Row) => (pausedBy === 'budget' ? pausedAt : null),
    as: 'age',
  },
  { heading: 'PROGRESS', value: ({ progress }: Row) => `${Math.round(progress * 100)} %` },
  { heading: 'AGENTS', value: ({ completedAgents, agentCount }: Row) => `${completedAgents} of ${agentCount}` },
  { heading: 'AGE', path: 'createdAt', as: 'age' },
] as const;

/** Operations on orchestrations. An orchestration has an objective, several agents and a strategy. */
export const orchestrations = [
  operation({
    name: 'orchestrations.create',
    summary: 'Create an orchestration: an objective with several agents that run under a strategy',
    access: 'self',
    ids: { repositoryId: 'repository' },
    idempotent: true,
    rest: { method: 'POST', path: '/orchestrations', status: 201 },
    cli: { command: 'orchestrations create' },
    tool: {
      ...changingTool,
      name: 'orchestrations_create',
      description:
        'Create an orchestration: an objective and several agents, each a new session, run in parallel, in sequence, by dependencies (adaptive) or in stages (pipeline). Nothing runs before orchestrations_start, unless start is true. You are notified once when it ends.',
    },
    example: {
      objective: 'Return search results within 20 ms',
      repositoryId: '0193a1b2-c3d4-7e5f',
      agents: [{ role: 'implementer', task: 'Add an index for the search' }],
    },
    input: v.strictObject({ ...createFields, idempotencyKey: IdempotencyKey }),
    output: OrchestrationStatus,
  }),
  operation({
    name: 'orchestrations.list',
    summary: 'Orchestrations, newest first',
    access: 'workspace-read',
    ids: { repositoryId: 'repository', createdBySessionId: 'session' },
    rest: { method: 'GET', path: '/orchestrations' },
    cli: { command: 'orchestrations list', columns },
    tool: {
      ...tool,
      name: 'orchestrations_list',
      input: v.strictObject({ ...listFilter, ...PageInput, limit: ToolLimit }),
      output: OrchestrationRows,
      toResult: orchestrationRows,
    },
    input: v.strictObject({ ...listFilter, ...PageInput }),
    output: pageOf(Orchestration),
  }),
  operation({
    name: 'orchestrations.get',
    summary: 'One orchestration with its agents, agent counts by role, progress and estimated end',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/orchestrations/:orchestrationId' },
    cli: { command: 'orchestrations get', positional: ['orchestrationId'] },
    tool: {
      ...tool,
      name: 'orchestrations_get',
      input: v.strictObject({
        orchestrationId,
        full: v.optional(described(v.boolean(), 'true: all fields, and texts in full'), false),
      }),
      output: OrchestrationToolResult,
      toInput: ({ full: _, ...args }: { full?: boolean }) => args,
      toResult: orchestrationResult,
    },
    resource: {
      uri: 'agor://orchestration/{id}',
      name: 'Orchestration',
      description: 'An orchestration with its agents and progress. Subscribe to follow it.',
      id: 'orchestrationId',
      offers: {
        from: 'orchestrations.list',
        id: ({ id }: { id: string }) => id,
        title: ({ objective }: { objective: string }) => objective.slice(0, 80),
      },
    },
    input: v.strictObject({ orchestrationId }),
    output: OrchestrationStatus,
  }),
  operation({
    name: 'orchestrations.start',
    summary: 'Start an orchestration in the state created',
    ...own,
    rest: { method: 'POST', path: '/orchestrations/:orchestrationId/start' },
    cli: { command: 'orchestrations start', positional: ['orchestrationId'] },
    tool: { ...changingTool, name: 'orchestrations_start' },
    input: v.strictObject({ orchestrationId }),
    output: OrchestrationStatus,
  }),
  operation({
    name: 'orchestrations.pause',
    summary: 'Pause an orchestration: no more agents start, and running agents finish unless interrupted',
    ...own,
    rest: { method: 'POST', path: '/orchestrations/:orchestrationId/pause' },
    cli: { command: 'orchestrations pause', positional: ['orchestrationId'] },
    tool: { ...changingTool, name: 'orchestrations_pause' },
    input: v.strictObject({
      orchestrationId,
      interrupt: v.optional(
        described(v.boolean(), 'Also interrupt running agents; when resumed, they continue their conversations'),
        false,
      ),
    }),
    output: OrchestrationStatus,
  }),
  operation({
    name: 'orchestrations.resume',
    summary: 'Resume a paused orchestration',
    ...own,
    rest: { method: 'POST', path: '/orchestrations/:orchestrationId/resume' },
    cli: { command: 'orchestrations resume', positional: ['orchestrationId'] },
    tool: { ...changingTool, name: 'orchestrations_resume' },
    input: v.strictObject({ orchestrationId }),
    output: OrchestrationStatus,
  }),
  operation({
    name: 'orchestrations.cancel',
    summary: 'Cancel an orchestration: end running agents, and start no others',
    ...own,
    rest: { method: 'POST', path: '/orchestrations/:orchestrationId/cancel' },
    cli: { command: 'orchestrations cancel', positional: ['orchestrationId'] },
    tool: { ...changingTool, name: 'orchestrations_cancel' },
    input: v.strictObject({ orchestrationId }),
    output: OrchestrationStatus,
  }),
  operation({
    name: 'orchestrations.addAgents',
    summary: 'Add agents to an orchestration that has not ended',
    ...own,
    idempotent: true,
    rest: { method: 'POST', path: '/orchestrations/:orchestrationId/agents', status: 201 },
    cli: { command: 'orchestrations add-agents', positional: ['orchestrationId'] },
    tool: { ...changingTool, name: 'orchestration_agents_add' },
    example: { agents: [{ role: 'reviewer', task: 'Review the changes' }] },
    input: v.strictObject({
      orchestrationId,
      agents: described(specs, 'Agents to add'),
      idempotencyKey: IdempotencyKey,
    }),
    output: OrchestrationStatus,
  }),
  operation({
    name: 'orchestrations.retryAgent',
    summary: 'Run a failed, cancelled or interrupted agent again, together with the agents skipped because of it',
    ...own,
    rest: { method: 'POST', path: '/orchestrations/:orchestrationId/agents/:agentId/retry' },
    cli: { command: 'orchestrations retry-agent', positional: ['orchestrationId', 'agentId'] },
    example: { agentId: 'reviewer' },
    input: v.strictObject({ orchestrationId, agentId: AgentName }),
    output: OrchestrationStatus,
  }),
  operation({
    name: 'orchestrations.retryIntegration',
    summary: "Integrate the agents' branches again, after the cause of the failure has been fixed",
    ...own,
    rest: { method: 'POST', path: '/orchestrations/:orchestrationId/integration/retry' },
    cli: { command: 'orchestrations retry-integration', positional: ['orchestrationId'] },
    input: v.strictObject({ orchestrationId }),
    output: OrchestrationStatus,
  }),
  operation({
    name: 'orchestrations.report',
    summary: "Report progress of an agent's own part in an orchestration",
    access: 'self',
    ids: { sessionId: 'session' },
    target: 'sessionId',
    rest: { method: 'POST', path: '/orchestrations/report' },
    cli: { command: 'orchestrations report', positional: ['progress'] },
    tool: {
      ...tool,
      name: 'orchestration_agents_report',
      description:
        'Report progress of your part in an orchestration. It does not end your task; call report_result for that.',
      output: ReportedAgent,
      toResult: reportedAgent,
    },
    example: { progress: 0.6, status: 'Half of the tests pass' },
    input: v.strictObject({
      sessionId: v.optional(
        described(IdPrefix('session'), "Session of the agent, by id or prefix; default: the caller's own"),
      ),
      progress: v.optional(described(TaskProgress, 'Completed fraction, 0 to 1')),
      status: v.optional(described(v.pipe(LongText, v.maxLength(500)), 'What the agent does now, in one line')),
      artifacts: v.optional(
        described(
          v.pipe(v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(4_096))), v.maxLength(100)),
          'Paths or links of results so far',
        ),
      ),
    }),
    output: OrchestrationAgent,
  }),
  operation({
    name: 'orchestrations.events',
    summary: 'Events of an orchestration, oldest first',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/orchestrations/:orchestrationId/events' },
    cli: {
      command: 'orchestrations events',
      positional: ['orchestrationId'],
      columns: ['id', 'timestamp', 'eventType', 'agentId'],
    },
    tool: { ...tool, name: 'orchestrations_events' },
    input: v.strictObject({ orchestrationId, after: AfterSeq, ...PageInput }),
    output: pageOf(OrchestrationEvent),
  }),
] as const;
