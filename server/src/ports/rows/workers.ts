import type { ApprovalOption, ApprovalState } from '@agent-console/shared/models/approval';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type {
  ActivitySource,
  ActivityState,
  Confidence,
  Dispute,
  WorkerState,
  WorkerType,
} from '@agent-console/shared/models/worker';

/** Workers, what is typed to them, and what they ask, as stored. Columns are explained in storage/schema/workers.ts. */

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
