import type { DelegationState } from '@agent-console/shared/models/delegation';
import type { NoticeKind } from '@agent-console/shared/models/notice';
import type { OutcomeSource, TaskKind, TaskStatus, TaskUsage } from '@agent-console/shared/models/task';

/** Tasks, the delegations they come from, and notices of their ends, as stored. Columns are explained in storage/schema/tasks.ts. */

export type TaskSourceKind = 'person' | 'session' | 'orchestration' | 'schedule' | 'system';
export type NoticeState = 'pending' | 'delivering' | 'delivered' | 'stored' | 'undeliverable';

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
  progress: number | null;
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
