import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { Budget, BudgetUse } from './budget.ts';
import type { EventType } from './event-data.ts';
import { MergeConflict } from './integration.ts';
import { PermissionMode } from './session.ts';
import { TaskUsage } from './task.ts';

/**
 * `parallel`: all agents at once; `sequential`: one after another in creation order; `adaptive`: each agent once the
 * agents it depends on have completed; `pipeline`: stage by stage.
 */
export const OrchestrationStrategy = v.picklist(['parallel', 'sequential', 'adaptive', 'pipeline']);
export type OrchestrationStrategy = v.InferOutput<typeof OrchestrationStrategy>;

/**
 * Changes of state: `created` → `running` ⇄ `paused`; `running` and `paused` → `completed` or `failed`; `created`,
 * `running` and `paused` → `cancelled`.
 */
export const OrchestrationState = v.picklist(['created', 'running', 'paused', 'completed', 'failed', 'cancelled']);
export type OrchestrationState = v.InferOutput<typeof OrchestrationState>;

/** States in which an orchestration stays unless one of its agents or its integration is retried. */
export const FINAL_STATES: readonly OrchestrationState[] = ['completed', 'failed', 'cancelled'];

/**
 * Changes of state: `pending` → `running` ⇄ `paused` or `interrupted`. The other states are final, but a retry makes an
 * agent `pending` again unless it has completed.
 */
export const OrchestrationAgentState = v.picklist([
  'pending',
  'running',
  'paused',
  'interrupted',
  'completed',
  'failed',
  'cancelled',
  'skipped',
]);
export type OrchestrationAgentState = v.InferOutput<typeof OrchestrationAgentState>;

/** States in which an agent stays unless somebody retries it. */
export const FINAL_AGENT_STATES: readonly OrchestrationAgentState[] = ['completed', 'failed', 'cancelled', 'skipped'];

/** Whether an orchestration, or an agent of an orchestration, in this state has ended. */
export function isFinal(state: OrchestrationState | OrchestrationAgentState): boolean {
  return FINAL_AGENT_STATES.some((final) => final === state);
}

export const OrchestrationIsolation = v.picklist(['own', 'shared']);
export const FailurePolicy = v.picklist(['continue', 'fail_fast']);
export type FailurePolicy = v.InferOutput<typeof FailurePolicy>;
export const RecoveryPolicy = v.picklist(['resume', 'rerun', 'fail']);
export type RecoveryPolicy = v.InferOutput<typeof RecoveryPolicy>;

export const OrchestrationAgent = v.object({
  agentId: described(v.string(), 'Name of the agent, unique within the orchestration'),
  role: described(v.string(), 'Role of the agent, such as reviewer'),
  suffix: described(v.nullable(v.string()), 'Name suffix that distinguishes agents of one role, or null'),
  task: described(v.string(), 'Text of the task of the agent'),
  state: described(
    OrchestrationAgentState,
    'skipped: an agent that it depends on did not complete; interrupted: its process was lost and it will be continued; paused: interrupted by a pause',
  ),
  reason: described(
    v.nullable(v.string()),
    'Cause of the state, such as upstream_failed, unreported, timeout, server_restart or budget; null if there is none',
  ),
  dependencies: described(v.array(v.string()), 'Names of the agents that must complete before this agent starts'),
  stage: described(v.number(), 'Number of the stage of the agent in a pipeline, from 0'),
  agenticTool: described(v.nullable(v.string()), 'Id of the agent definition; null: the default agent'),
  permissionMode: described(v.nullable(PermissionMode), 'Requested permission mode; null: the default'),
  allowFailure: described(v.boolean(), 'Whether agents that depend on this agent run even if this agent fails'),
  maxAttempts: described(v.number(), 'Maximum number of attempts of the agent'),
  timeoutSeconds: described(v.number(), 'Maximum time in seconds of an attempt; an attempt that takes longer fails'),
  attempt: described(v.number(), 'Number of attempts of the agent so far'),
  sessionId: nullableIdOf('session', 'Id of the session of the latest attempt, or null before the first attempt'),
  taskId: nullableIdOf('task', 'Id of the task of the latest attempt, or null before the first attempt'),
  worktreeId: nullableIdOf('worktree', 'Id of the worktree of the latest attempt, or null before the first attempt'),
  branch: described(v.nullable(v.string()), "Branch of the agent's worktree, or null"),
  progress: described(v.nullable(v.number()), 'Completed fraction as reported by the agent, 0 to 1, or null'),
  status: described(v.nullable(v.string()), 'What the agent does now, in one line, as reported by the agent; or null'),
  summary: described(v.nullable(v.string()), 'Result of the agent in its own words, or null'),
  artifacts: described(v.array(v.string()), 'Paths or links of the results that the agent reported'),
  usage: described(
    v.nullable(v.omit(TaskUsage, ['source'])),
    "Tokens used by the sessions of the agent's attempts; null if none of them reports its usage",
  ),
  exitCode: described(
    v.nullable(v.number()),
    "Exit code of the agent's process, or 128 + n if Unix signal n ended it; set only if this exit ended the task, or if the agent was cancelled or timed out; otherwise null",
  ),
  errorMessage: described(v.nullable(v.string()), 'Why the agent failed, or null'),
  createdAt: described(Timestamp, 'Creation time'),
  startedAt: described(v.nullable(Timestamp), 'Time when the first attempt started, or null'),
  completedAt: described(v.nullable(Timestamp), 'Time when the agent reached a final state, or null'),
});
export type OrchestrationAgent = v.InferOutput<typeof OrchestrationAgent>;

/** Integration of the agents' branches into one branch: its target, progress and result. */
export const OrchestrationIntegration = v.object({
  into: described(v.string(), 'Branch that receives the work; created from the base if it does not exist'),
  state: described(
    v.picklist(['pending', 'running', 'integrated', 'conflicts', 'failed']),
    'integrated: the branch contains the work of all completed agents',
  ),
  integrated: described(
    v.array(v.string()),
    'Names of the agents whose branches were integrated, in the order of integration',
  ),
  conflicts: described(
    v.array(
      v.object({
        agentId: described(v.string(), 'Name of the agent whose branch has conflicts'),
        ...MergeConflict.entries,
      }),
    ),
    'Files in which the branches of the agents conflict',
  ),
  checkPassed: described(
    v.nullable(v.boolean()),
    'Whether the check of the integrated branch passed; null without a check',
  ),
  commit: described(
    v.nullable(v.string()),
    'Id of the newest commit of the branch after the last integration, or null',
  ),
  errorMessage: described(v.nullable(v.string()), 'Why the integration failed, or null'),
});
export type OrchestrationIntegration = v.InferOutput<typeof OrchestrationIntegration>;

export const RoleStats = v.object({
  total: described(v.number(), 'Number of agents with the role'),
  pending: described(v.number(), 'Number of pending agents'),
  running: described(v.number(), 'Number of running agents'),
  paused: described(v.number(), 'Number of paused agents'),
  interrupted: described(v.number(), 'Number of interrupted agents'),
  completed: described(v.number(), 'Number of completed agents'),
  failed: described(v.number(), 'Number of failed agents'),
  cancelled: described(v.number(), 'Number of cancelled agents'),
  skipped: described(v.number(), 'Number of skipped agents'),
});
export type RoleStats = v.InferOutput<typeof RoleStats>;

/** An objective with several agents under one strategy. */
export const Orchestration = v.object({
  id: ownId('Orchestration'),
  workspaceHash: described(
    v.string(),
    'Hash of the path of the common git directory, which is the same for all checkouts of a repository',
  ),
  repositoryId: idOf('repository', "Id of the repository of the agents' worktrees"),
  createdBySessionId: nullableIdOf('session', 'Id of the session that created the orchestration; null if a person did'),
  objective: described(v.string(), 'What the agents are to achieve together'),
  strategy: described(OrchestrationStrategy, 'In which order the agents run'),
  state: described(OrchestrationState, 'State of the orchestration; completed, failed and cancelled are final'),
  pausedBy: described(
    v.nullable(v.picklist(['person', 'session', 'budget'])),
    'Who paused the orchestration; budget: a budget limit was reached, and a person must decide whether to continue; null unless paused',
  ),
  agentCount: described(v.number(), 'Number of agents'),
  completedAgents: described(v.number(), 'Number of completed agents'),
  failedAgents: described(v.number(), 'Number of failed agents'),
  progress: described(v.number(), 'Completed fraction, 0 to 1; falls only when agents are added or retried'),
  metadata: described(v.record(v.string(), v.unknown()), 'Data of the creator; the console does not interpret it'),
  isolation: described(OrchestrationIsolation, 'own: one worktree for each agent; shared: one worktree for all'),
  maxConcurrent: described(v.nullable(v.number()), 'Maximum agents running at the same time; null: no limit'),
  onFailure: described(
    FailurePolicy,
    'continue: agents that do not depend on a failed agent continue; fail_fast: a failure cancels all other agents',
  ),
  onInterrupted: described(
    RecoveryPolicy,
    'What happens to an agent whose process was lost; resume: its conversation continues; rerun: the agent starts again; fail: the agent counts as failed',
  ),
  acceptUnreported: described(v.boolean(), 'Whether an agent that ends without reporting a result counts as completed'),
  roleLimits: described(v.record(v.string(), v.number()), 'Maximum agents running at the same time, by role'),
  budget: described(v.nullable(Budget), 'Budget limits of the orchestration, or null'),
  integration: described(
    v.nullable(OrchestrationIntegration),
    "How the agents' branches are combined; null if they are not combined",
  ),
  definition: described(
    v.nullable(
      v.object({
        name: described(v.string(), 'Name of the definition or template'),
        contentHash: described(v.string(), "SHA-256 of the definition's text"),
      }),
    ),
    'Definition from which the orchestration was created, or null',
  ),
  sharedDirectory: described(v.string(), 'Path of a folder that all agents of the orchestration can read and write'),
  createdAt: described(Timestamp, 'Creation time'),
  startedAt: described(v.nullable(Timestamp), 'Time when the orchestration started, or null'),
  pausedAt: described(v.nullable(Timestamp), 'Time when the current pause began, or null'),
  completedAt: described(v.nullable(Timestamp), 'Time when the orchestration ended, or null'),
  archivedAt: described(v.nullable(Timestamp), 'Time when the orchestration was archived, or null'),
  errorMessage: described(v.nullable(v.string()), 'Why the orchestration failed, or null'),
});
export type Orchestration = v.InferOutput<typeof Orchestration>;

/** An orchestration with its agents in creation order, its progress, and what it has used so far. */
export const OrchestrationStatus = v.object({
  ...Orchestration.entries,
  agents: described(v.array(OrchestrationAgent), 'Agents in creation order'),
  roleDistribution: described(v.record(v.string(), RoleStats), 'Number of agents in each state, by role'),
  budgetUsed: described(
    BudgetUse,
    'Time, tokens and money that the agents and the sessions that they started have used so far',
  ),
  estimatedCompletion: described(
    v.nullable(Timestamp),
    'Estimated time when all agents will have finished; null before the first one has completed or failed, after the last one has finished, and while paused',
  ),
});
export type OrchestrationStatus = v.InferOutput<typeof OrchestrationStatus>;

export const OrchestrationEventType = v.picklist([
  'session_created',
  'session_started',
  'session_paused',
  'session_resumed',
  'session_cancelled',
  'session_completed',
  'session_failed',
  'session_archived',
  'session_unarchived',
  'agent_added',
  'agent_started',
  'agent_completed',
  'agent_failed',
  'agent_skipped',
  'agent_paused',
  'agent_resumed',
  'agent_interrupted',
  'agent_cancelled',
  'agent_retried',
  'agent_waiting',
  'progress',
  'message',
  'artifact',
  'integration',
  'budget',
  'recovery',
  'cleanup',
]);
export type OrchestrationEventType = v.InferOutput<typeof OrchestrationEventType>;

export const OrchestrationEvent = v.object({
  id: described(v.number(), 'Sequence number; later events have higher numbers'),
  timestamp: described(Timestamp, 'Time of the event'),
  eventType: described(OrchestrationEventType, 'Type of the event, which says what happened'),
  agentId: described(v.nullable(v.string()), 'Name of the agent that the event is about, or null'),
  data: described(v.record(v.string(), v.unknown()), 'Details of the event; keys depend on the event type'),
});
export type OrchestrationEvent = v.InferOutput<typeof OrchestrationEvent>;

/** Maps types of events in the event log to the types in an orchestration's own list of events. */
export const ORCHESTRATION_EVENT_TYPES = {
  'orchestration.created': 'session_created',
  'orchestration.started': 'session_started',
  'orchestration.paused': 'session_paused',
  'orchestration.resumed': 'session_resumed',
  'orchestration.cancelled': 'session_cancelled',
  'orchestration.completed': 'session_completed',
  'orchestration.failed': 'session_failed',
  'orchestration.archived': 'session_archived',
  'orchestration.unarchived': 'session_unarchived',
  'orchestration.agent_added': 'agent_added',
  'orchestration.agent_started': 'agent_started',
  'orchestration.agent_completed': 'agent_completed',
  'orchestration.agent_failed': 'agent_failed',
  'orchestration.agent_skipped': 'agent_skipped',
  'orchestration.agent_paused': 'agent_paused',
  'orchestration.agent_resumed': 'agent_resumed',
  'orchestration.agent_interrupted': 'agent_interrupted',
  'orchestration.agent_cancelled': 'agent_cancelled',
  'orchestration.agent_retried': 'agent_retried',
  'orchestration.agent_waited': 'agent_waiting',
  'orchestration.progressed': 'progress',
  'orchestration.message_sent': 'message',
  'orchestration.artifact_added': 'artifact',
  'orchestration.integrated': 'integration',
  'orchestration.budget_used': 'budget',
  'orchestration.recovered': 'recovery',
  'orchestration.cleaned_up': 'cleanup',
} as const satisfies Partial<Record<EventType, OrchestrationEventType>>;
