import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** `preparing`: the ids are fixed and the work goes on; `prompting`: worktree, session, task and a running agent exist. */
export const DelegationResultState = v.picklist(['preparing', 'prompting']);

/** What `delegate_to_worktree` and `POST /delegations` answer. */
export const DelegationResult = v.object({
  sessionId: v.string(),
  workerId: v.string(),
  worktreePath: v.string(),
  branch: v.string(),
  delegationId: v.string(),
  taskId: v.string(),
  state: DelegationResultState,
  warnings: v.array(v.string()),
});
export type DelegationResult = v.InferOutput<typeof DelegationResult>;

export const DelegationState = v.picklist([
  'requested',
  'creating_worktree',
  'starting_agent',
  'prompting',
  'handed_over',
  'rejected',
]);
export type DelegationState = v.InferOutput<typeof DelegationState>;

export const Delegation = v.object({
  id: v.string(),
  parentSessionId: v.nullable(v.string()),
  sessionId: v.string(),
  workerId: v.string(),
  taskId: v.string(),
  worktreeId: v.string(),
  worktreePath: v.string(),
  branch: v.string(),
  state: DelegationState,
  /** The state in which it failed, or null. */
  failedStep: v.nullable(DelegationState),
  error: v.nullable(v.object({ code: v.string(), message: v.string() })),
  warnings: v.array(v.string()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Delegation = v.InferOutput<typeof Delegation>;
