import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { AgentDriver } from './agent-driver.ts';
import { BoardRow } from './board.ts';
import { Budget, BudgetUse } from './budget.ts';
import { ChangeSize, WorkSummary } from './git-status.ts';
import { AttachedMcpServer } from './mcp-server.ts';
import { Message } from './message.ts';
import { Repository } from './repository.ts';
import { Task, TaskOutcome, TaskSummary } from './task.ts';
import { MeasuredWorker, Worker } from './worker.ts';
import { Worktree, WorktreeState } from './worktree.ts';

export const SessionType = v.picklist(['worktree', 'quick']);
export const SessionStatus = v.picklist([
  'idle',
  'running',
  'awaiting_input',
  'paused',
  'stopped',
  'completed',
  'failed',
]);
export type SessionStatus = v.InferOutput<typeof SessionStatus>;

/** The permission modes that callers may request; each agent kind maps them to its own modes. */
export const PermissionMode = v.picklist([
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'ask',
  'auto',
  'on-failure',
  'allow-all',
]);
export type PermissionMode = v.InferOutput<typeof PermissionMode>;

/** Who sees a session: everyone who uses this console, or only its owner and the local owner. */
export const Visibility = v.picklist(['workspace', 'private']);
export type Visibility = v.InferOutput<typeof Visibility>;

/**
 * The time at which a mode takes effect: now (the agent already has the mode, or no agent runs), with the next task, or
 * at the next start.
 */
export const ModeApplies = v.picklist(['now', 'nextTask', 'nextStart']);
export type ModeApplies = v.InferOutput<typeof ModeApplies>;

const SessionTask = v.object({
  ...TaskSummary.entries,
  source: Task.entries.source,
  startedAt: Task.entries.startedAt,
  endedAt: Task.entries.endedAt,
});
export type SessionTask = v.InferOutput<typeof SessionTask>;

/** A prompt that cannot be typed into the agent's terminal yet. */
const HeldPrompt = v.object({
  taskId: idOf('task', 'Id of the task of the prompt'),
  reason: described(v.string(), 'Why the prompt cannot be typed, such as "a person is typing in the terminal"'),
  since: described(Timestamp, 'Time when the task started, or its creation time if it has not started'),
});

/** One conversation and the work around it, in a worktree or, for a quick session, in a plain directory. */
export const Session = v.object({
  id: ownId('Session'),
  type: described(SessionType, 'worktree: works in a worktree; quick: works in a plain directory'),
  worktreeId: nullableIdOf('worktree', 'Id of the worktree of the session, or null'),
  repositoryId: nullableIdOf('repository', 'Id of the repository of the worktree, or null'),
  cwd: described(v.string(), 'Working directory of the agent'),
  agentId: described(v.string(), 'Id of the agent definition'),
  driver: AgentDriver,
  title: described(v.string(), 'Title of the session; may be empty'),
  description: described(v.string(), 'Description of the session; may be empty'),
  labels: described(v.array(v.string()), 'Labels by which people group sessions'),
  status: described(SessionStatus, "Status, derived from the session's tasks or set manually"),
  permissionConfig: described(
    v.object({
      mode: described(PermissionMode, 'Effective permission mode'),
      requestedMode: described(
        v.nullable(PermissionMode),
        'Requested permission mode, or null; the effective mode may be stricter',
      ),
      applies: described(
        ModeApplies,
        'When the mode takes effect; nextTask: with the next task, for which the agent restarts and resumes its conversation; nextStart: when the agent is started again',
      ),
      ceiling: described(PermissionMode, 'Most permissive mode that is allowed; only people can set it'),
      allowedTools: described(v.array(v.string()), 'Always empty; the permission mode decides which tools are allowed'),
    }),
    'Permissions of the agent',
  ),
  genealogy: described(
    v.object({
      parentSessionId: nullableIdOf('session', 'Id of the parent session, or null; a fork has no parent'),
      forkedFromSessionId: nullableIdOf('session', 'Id of the session whose conversation this session copied, or null'),
      spawnPointTaskId: nullableIdOf(
        'task',
        'Id of the task of the parent that the caller named or, without it, that was running at the spawn; otherwise null',
      ),
      forkPointTaskId: nullableIdOf(
        'task',
        'Id of the task of the original session after which it was forked, or null',
      ),
      children: described(
        v.array(idOf('session', 'Session id')),
        'Ids of the child sessions and forks of this session, oldest first',
      ),
    }),
    'Where the session comes from, and the sessions started from it',
  ),
  depth: described(
    v.number(),
    "Level that counts towards the setting delegationDepth: 0 for a session of a person, 1 for an agent of a person's orchestration, one more than the parent for a child; a fork has the level of its original. A session that an agent creates always has a higher level than the agent's own session",
  ),
  createdByUserId: nullableIdOf('user', 'Id of the user who owns the session, or null'),
  visibility: described(
    Visibility,
    'workspace: visible to everyone who uses this console; private: visible to its owner and the local owner',
  ),
  createdBySessionId: nullableIdOf('session', 'Id of the session that created this one, or null'),
  orchestrationId: nullableIdOf('orchestration', 'Id of the orchestration whose agent the session is, or null'),
  viaSessionId: nullableIdOf('session', 'The same as createdBySessionId'),
  gitState: described(
    v.nullable(
      v.object({
        worktreeState: described(WorktreeState, 'State of the worktree'),
        ref: described(v.nullable(v.string()), 'Current branch of the worktree, or null'),
        baseSha: described(v.nullable(v.string()), 'Id of the commit at which the work started, or null'),
        currentSha: described(v.nullable(v.string()), 'Id of the current commit of the worktree, or null'),
        changes: described(
          v.nullable(ChangeSize),
          'Size of the changes since the branch diverged from its base, as last computed; null if it was not computed yet',
        ),
        work: described(
          v.nullable(WorkSummary),
          'How the work compares with its base, as last computed; null if it was not computed yet',
        ),
      }),
    ),
    'Branch and commits of the worktree, or null outside a repository',
  ),
  workers: described(v.array(Worker), 'Live and ended workers'),
  task: described(
    v.nullable(SessionTask),
    'Current task of kind prompt, or else the one that started last or, if none has started, another; null if there is none',
  ),
  outcome: described(
    v.nullable(TaskOutcome),
    'Outcome of the last prompt, if this session has a parent or is a fork, and is idle with no prompt left to work on; otherwise null. agor_* tools show it as the status',
  ),
  queued: described(v.number(), 'Number of queued prompts and notices'),
  held: described(
    v.nullable(HeldPrompt),
    'The prompt that cannot be typed yet, for example because a person is typing in the terminal; otherwise null',
  ),
  overBudgetSince: described(
    v.nullable(Timestamp),
    'Time at which the console asked whether the session may exceed its used-up budget; null without such a question',
  ),
  resumable: described(
    v.boolean(),
    'Whether the session can be resumed: its agent can continue a conversation, or the session has none yet. Otherwise, the next start begins a new conversation',
  ),
  reclaimable: described(
    v.boolean(),
    'Whether the agent has been idle after its work for longer than the setting idlePauseMinutes, but was not stopped because it could not resume its conversation',
  ),
  messageCount: described(v.number(), 'Number of messages in the conversation'),
  createdAt: described(Timestamp, 'Creation time'),
  updatedAt: described(Timestamp, 'Time of the last change to the session'),
  archivedAt: described(v.nullable(Timestamp), 'Time when the session was archived, or null'),
});
export type Session = v.InferOutput<typeof Session>;

/** The files and MCP servers that a session's agent receives besides its prompts. */
export const SessionAttachments = v.object({
  contextFiles: described(
    v.array(v.string()),
    'Paths of the files that the agent is asked to read first, relative to cwd',
  ),
  mcpServers: described(v.array(AttachedMcpServer), "MCP servers of the agent, besides the console's own"),
});
export type SessionAttachments = v.InferOutput<typeof SessionAttachments>;

/**
 * A session as returned by `sessions.get`: with its tasks, whose summaries are cut, the resource use of its workers,
 * and further details.
 */
export const SessionWithTasks = v.object({
  ...Session.entries,
  ...SessionAttachments.entries,
  workers: described(v.array(MeasuredWorker), 'Live and ended workers'),
  tasks: described(v.array(Task), 'Tasks of the session, oldest first, with their summaries cut'),
  pausedBy: v.optional(
    described(
      v.picklist(['person', 'session', 'idle', 'budget']),
      'Who paused the session; idle: the next prompt or notice resumes it; budget: a person must raise the budget; set only while the session is paused',
    ),
  ),
  budget: v.optional(
    described(Budget, 'Limits of the session and the sessions that it starts; only if the session has a budget'),
  ),
  budgetUsed: v.optional(
    described(
      BudgetUse,
      'Time, tokens and money that the session and the sessions that it started have used; only if the session has a budget',
    ),
  ),
  messages: v.optional(
    described(
      v.array(Message),
      'Newest messages, or messages starting at messagesFrom, oldest first; only if requested',
    ),
  ),
  worktree: v.optional(
    described(v.nullable(Worktree), 'Worktree of the session, or null; only if the caller requested it'),
  ),
  repository: v.optional(
    described(v.nullable(Repository), 'Repository of the worktree, or null; only if the caller requested it'),
  ),
  board: v.optional(described(v.nullable(BoardRow), 'Board of the worktree, or null; only if the caller requested it')),
});
export type SessionWithTasks = v.InferOutput<typeof SessionWithTasks>;
