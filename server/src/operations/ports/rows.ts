import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { ApprovalOption, ApprovalState } from '@agent-console/shared/models/approval';
import type { DelegationState } from '@agent-console/shared/models/delegation';
import type { EventType, SubjectKind } from '@agent-console/shared/models/event';
import type { NoticeKind } from '@agent-console/shared/models/notice';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { OutcomeSource, TaskKind, TaskStatus, TaskUsage } from '@agent-console/shared/models/task';
import type { Scope } from '@agent-console/shared/models/token';
import type {
  ActivitySource,
  ActivityState,
  Confidence,
  Dispute,
  WorkerState,
  WorkerType,
} from '@agent-console/shared/models/worker';

/** Stored facts, as the application layer reads and writes them. Columns are explained in storage/schema.ts. */

/** What is stored of a session's status; `open` is shown as idle, running or awaiting_input by its task. */
export type SessionMark = 'open' | 'paused' | 'stopped' | 'completed' | 'failed';
export type WorktreeKind = 'main' | 'managed' | 'adopted';
export type WorktreeState = 'creating' | 'ready' | 'removing' | 'removed' | 'restoring' | 'failed';
export type TaskSourceKind = 'person' | 'session' | 'orchestration' | 'schedule' | 'system';
export type NoticeState = 'pending' | 'delivering' | 'delivered' | 'stored' | 'undeliverable';
/** `reminder` and `notice` are ours. */
export type InputKind = 'prompt' | 'reminder' | 'notice';
/** `pasting` and `submitting` say that a frame may have been sent: after a crash it is sent again under the same id. */
export type InputState =
  | 'queued'
  | 'pasting'
  | 'pasted'
  | 'submitting'
  | 'submitted'
  | 'uncertain'
  | 'accepted'
  /** Its task was cancelled: what is pasted is taken back, what was taken is interrupted. */
  | 'clearing'
  | 'interrupting'
  /** Its turn is over. */
  | 'ended'
  | 'dropped';

export interface RepositoryRow {
  id: string;
  name: string;
  path: string;
  commonDir: string;
  url: string | null;
  defaultBranch: string;
  setupCommand: string | null;
  cleanupCommand: string | null;
  checkCommand: string | null;
  worktreesDir: string;
  nextIndex: number;
  createdAt: string;
  removedAt: string | null;
}

export interface WorktreeRow {
  id: string;
  repositoryId: string;
  kind: WorktreeKind;
  name: string;
  path: string;
  branch: string | null;
  branchCreated: boolean;
  index: number | null;
  state: WorktreeState;
  baseRef: string | null;
  baseSha: string | null;
  currentSha: string | null;
  recoveryRef: string | null;
  boardId: string | null;
  zoneId: string | null;
  x: number | null;
  y: number | null;
  createdAt: string;
}

export interface SessionRow {
  id: string;
  type: 'worktree' | 'quick';
  worktreeId: string | null;
  repositoryId: string | null;
  cwd: string;
  agentId: string;
  title: string;
  description: string;
  mark: SessionMark;
  pausedBy: 'person' | 'session' | 'idle' | null;
  queueHeld: boolean;
  permissionMode: PermissionMode;
  requestedMode: PermissionMode | null;
  permissionCeiling: PermissionMode;
  parentSessionId: string | null;
  forkedFromSessionId: string | null;
  spawnPointTaskId: string | null;
  forkPointTaskId: string | null;
  depth: number;
  createdByUserId: string | null;
  createdBySessionId: string | null;
  viaSessionId: string | null;
  nativeId: string | null;
  begun: boolean;
  visibility: 'workspace' | 'private';
  contextFiles: string[];
  messageCount: number;
  createdAt: string;
  updatedAt: string;
  archivedAt: string | null;
  removedAt: string | null;
}

export interface WorkerRow {
  id: string;
  sessionId: string;
  type: WorkerType;
  agentId: string | null;
  pid: number | null;
  startTime: string | null;
  state: WorkerState;
  exitCode: number | null;
  signal: string | null;
  activityState: ActivityState;
  activitySource: ActivitySource;
  activitySince: string;
  confidence: Confidence;
  disputed: Dispute[];
  permissionMode: PermissionMode | null;
  logOffset: number;
  scanOffset: number;
  signalsOffset: number;
  lastActiveOffset: number;
  lastIdleOffset: number;
  lastAskingOffset: number;
  dirtySince: string | null;
  cols: number;
  rows: number;
  warnings: string[];
  createdAt: string;
  endedAt: string | null;
}

export interface TaskRow {
  id: string;
  sessionId: string;
  kind: TaskKind;
  prompt: string;
  status: TaskStatus;
  waitingFor: 'answer' | 'report' | null;
  outcomeSource: OutcomeSource | null;
  certain: boolean | null;
  sourceKind: TaskSourceKind;
  sourceId: string | null;
  notifyOnCompletion: boolean;
  delegationId: string | null;
  position: number;
  blocked: string | null;
  sendNow: boolean;
  quietSince: string | null;
  remindedAt: string | null;
  summary: string | null;
  artifacts: string[];
  errorCode: string | null;
  errorMessage: string | null;
  usage: TaskUsage | null;
  version: number;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
}

export interface InputRow {
  id: string;
  workerId: string;
  taskId: string | null;
  kind: InputKind;
  text: string;
  state: InputState;
  pastedOffset: number | null;
  submittedOffset: number | null;
  acceptedBy: string | null;
  createdAt: string;
  submittedAt: string | null;
}

export interface NoticeRow {
  id: string;
  sessionId: string;
  kind: NoticeKind;
  aboutSessionId: string;
  aboutTaskId: string | null;
  aboutDelegationId: string | null;
  title: string;
  status: string | null;
  outcomeSource: string | null;
  certain: boolean | null;
  summary: string;
  state: NoticeState;
  taskId: string | null;
  createdAt: string;
  deliveredAt: string | null;
}

export interface DelegationRow {
  id: string;
  parentSessionId: string | null;
  repositoryId: string;
  sessionId: string;
  workerId: string;
  taskId: string;
  worktreeId: string;
  worktreePath: string;
  branch: string;
  base: string;
  useRemote: boolean;
  state: DelegationState;
  failedStep: DelegationState | null;
  errorCode: string | null;
  errorMessage: string | null;
  warnings: string[];
  notify: boolean;
  answered: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface JobRow {
  id: string;
  kind: 'repository-clone' | 'worktree-creation';
  state: 'running' | 'succeeded' | 'failed';
  fraction: number;
  phase: string;
  params: Record<string, unknown>;
  result: Record<string, unknown> | null;
  error: { code: string; message: string; details: Record<string, unknown> } | null;
  actor: string;
  createdAt: string;
  endedAt: string | null;
}

export interface EventRow {
  seq: number;
  at: string;
  type: EventType;
  subjectKind: SubjectKind;
  subjectId: string;
  sessionId: string | null;
  actor: string;
  viaSessionId: string | null;
  data: Record<string, unknown>;
}

export interface MessageRow {
  id: string;
  sessionId: string;
  taskId: string | null;
  seq: number;
  role: 'user' | 'agent' | 'system';
  kind: 'text' | 'thought' | 'toolCall' | 'plan' | 'permission' | 'notice' | 'usage';
  parts: Record<string, unknown>[];
  source: 'acp' | 'transcript' | 'hook' | 'screen' | 'console';
  logOffset: number | null;
  nativeId: string | null;
  createdAt: string;
}

export interface TranscriptRow {
  sessionId: string;
  nativeId: string;
  place: Record<string, unknown>;
  updatedAt: string;
}

export interface UsageRow {
  id: string;
  sessionId: string;
  taskId: string | null;
  nativeId: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  costUsd: number | null;
  createdAt: string;
}

export interface ApprovalRow {
  id: string;
  sessionId: string;
  workerId: string;
  taskId: string | null;
  text: string;
  tool: string | null;
  options: ApprovalOption[];
  source: ActivitySource;
  state: ApprovalState;
  optionId: string | null;
  answeredBy: string | null;
  logOffset: number;
  createdAt: string;
  endedAt: string | null;
}

export interface AgentRow {
  id: string;
  name: string;
  kind: AgentKindName;
  command: string[];
  env: string[];
  queueWhenUnknown: 'hold' | 'send';
  createdAt: string;
}

export interface UserRow {
  id: string;
  username: string | null;
  email: string | null;
  avatarUrl: string | null;
  createdAt: string;
  removedAt: string | null;
}

export interface BoardRow {
  id: string;
  name: string;
  description: string;
  ownerId: string;
  createdAt: string;
  removedAt: string | null;
  /** The session it was made through: the transaction writes it, and it is there to be asked for, never in what is read. */
  viaSessionId?: string | null;
}

export interface ZoneRow {
  id: string;
  boardId: string;
  name: string;
  color: string;
  x: number;
  y: number;
  width: number;
  height: number;
  createdAt: string;
}

export interface McpServerRow {
  id: string;
  name: string;
  ownerId: string;
  transport: 'http' | 'sse' | 'stdio';
  url: string | null;
  /** Program and arguments of a stdio server. */
  command: string[] | null;
  /** Names, each with the id of its private value. */
  headers: Record<string, string>;
  env: Record<string, string>;
  createdAt: string;
  removedAt: string | null;
}

export interface SessionMcpServerRow {
  id: string;
  sessionId: string;
  mcpServerId: string;
  createdAt: string;
}

export interface TokenRow {
  id: string;
  sha256: string;
  name: string;
  kind: 'user' | 'worker';
  userId: string | null;
  workerId: string | null;
  sessionId: string | null;
  scopes: Scope[];
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
}

export interface IdempotencyRow {
  caller: string;
  operation: string;
  key: string;
  bodySha256: string;
  output: Record<string, unknown>;
  delivered: boolean | null;
  createdAt: string;
}

export interface AuditRow {
  id: string;
  at: string;
  actor: string;
  sessionId: string | null;
  /** The person who called, or whose session did; null for the console itself. */
  userId: string | null;
  surface: string;
  operation: string;
  /** `ok` or the error code. */
  result: string;
  milliseconds: number;
}
