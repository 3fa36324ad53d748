import * as v from 'valibot';
import { Timestamp } from '../time.ts';
import { BoardRow } from './board.ts';
import { AttachedMcpServer } from './mcp-server.ts';
import { Message } from './message.ts';
import { Repository } from './repository.ts';
import { Task, TaskOutcome, TaskSummary } from './task.ts';
import { MeasuredWorker, Worker } from './worker.ts';
import { Worktree } from './worktree.ts';

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

/** The eight permission modes callers may ask for; each agent kind maps them to its own. */
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

/** Who sees a session: everybody who works with this console, or only its owner and the local owner. */
export const Visibility = v.picklist(['workspace', 'private']);
export type Visibility = v.InferOutput<typeof Visibility>;

/** When the agent that runs has the mode: it has it or none runs, before its next task, or not until it starts again. */
export const ModeApplies = v.picklist(['now', 'nextTask', 'nextStart']);
export type ModeApplies = v.InferOutput<typeof ModeApplies>;

const SessionTask = v.object({
  ...TaskSummary.entries,
  startedAt: v.nullable(Timestamp),
  endedAt: v.nullable(Timestamp),
});
export type SessionTask = v.InferOutput<typeof SessionTask>;

/** One conversation and the work around it, in a worktree or (quick) in a directory. */
export const Session = v.object({
  id: v.string(),
  type: SessionType,
  worktreeId: v.nullable(v.string()),
  repositoryId: v.nullable(v.string()),
  cwd: v.string(),
  agentId: v.string(),
  title: v.string(),
  description: v.string(),
  status: SessionStatus,
  permissionConfig: v.object({
    mode: PermissionMode,
    requestedMode: v.nullable(PermissionMode),
    applies: ModeApplies,
    ceiling: PermissionMode,
    allowedTools: v.array(v.string()),
  }),
  genealogy: v.object({
    parentSessionId: v.nullable(v.string()),
    forkedFromSessionId: v.nullable(v.string()),
    spawnPointTaskId: v.nullable(v.string()),
    forkPointTaskId: v.nullable(v.string()),
    children: v.array(v.string()),
  }),
  /** 0 for a root, parent + 1 for a child. */
  depth: v.number(),
  createdByUserId: v.nullable(v.string()),
  visibility: Visibility,
  createdBySessionId: v.nullable(v.string()),
  viaSessionId: v.nullable(v.string()),
  gitState: v.nullable(
    v.object({ ref: v.nullable(v.string()), baseSha: v.nullable(v.string()), currentSha: v.nullable(v.string()) }),
  ),
  workers: v.array(Worker),
  /** The prompt at work, else the one that was last; its summary is cut to SESSION_TASK_SUMMARY_CHARS. */
  task: v.nullable(SessionTask),
  /**
   * How the last prompt of a spawned or forked session ended, while it is idle and nothing waits its turn; null otherwise.
   * The `agor_*` tools show it as the status.
   */
  outcome: v.nullable(TaskOutcome),
  /** Prompts and notices that wait their turn. */
  queued: v.number(),
  /** True when its work is done and its agent idle for long, but kept alive because it could not go on after a pause. */
  reclaimable: v.boolean(),
  messageCount: v.number(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  archivedAt: v.nullable(Timestamp),
});
export type Session = v.InferOutput<typeof Session>;

/** What a session's agent was given besides its prompts. */
export const SessionGiven = v.object({
  /** Relative to `cwd`. */
  contextFiles: v.array(v.string()),
  /** Other MCP servers than the console's own. */
  mcpServers: v.array(AttachedMcpServer),
});
export type SessionGiven = v.InferOutput<typeof SessionGiven>;

/** `GET /sessions/:id` adds the tasks, oldest first, with their summaries cut, and what the workers take of the machine. */
export const SessionWithTasks = v.object({
  ...Session.entries,
  ...SessionGiven.entries,
  workers: v.array(MeasuredWorker),
  tasks: v.array(Task),
  /** The newest, oldest first, where they were asked for. */
  messages: v.optional(v.array(Message)),
  /** Where it works and the board that lies on, where they were asked for; null where there is none. */
  worktree: v.optional(v.nullable(Worktree)),
  repository: v.optional(v.nullable(Repository)),
  board: v.optional(v.nullable(BoardRow)),
});
export type SessionWithTasks = v.InferOutput<typeof SessionWithTasks>;
