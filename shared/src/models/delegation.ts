import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { Failure } from './failure.ts';

/**
 * `preparing`: the worktree is still being created or the agent is starting, but the ids no longer change; `prompting`:
 * its worktree, session, task and agent process exist.
 */
export const DelegationResultState = v.picklist(['preparing', 'prompting']);

const warnings = described(v.array(v.string()), 'Problems that did not stop the delegation');

/** Result of `delegate_to_worktree` and `POST /delegations`. */
export const DelegationResult = v.object({
  sessionId: idOf('session', 'Id of the session of the new agent'),
  workerId: idOf('worker', 'Id of the worker of the new agent'),
  worktreeId: idOf('worktree', 'Id of the worktree created for the delegation'),
  worktreePath: described(v.string(), 'Path of the new worktree'),
  branch: described(v.string(), 'Branch of the new worktree'),
  delegationId: idOf('delegation', 'Delegation id'),
  taskId: idOf('task', 'Id of the task created from the prompt'),
  state: described(
    DelegationResultState,
    'prompting: worktree, session, task and agent process exist; preparing: creation continues, but the ids no longer change',
  ),
  warnings,
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
  id: ownId('Delegation'),
  parentSessionId: nullableIdOf('session', 'Id of the session that delegated the work; null if a person did'),
  sessionId: idOf('session', 'Id of the session of the new agent'),
  workerId: idOf('worker', 'Id of the worker of the new agent'),
  taskId: idOf('task', 'Id of the task created from the prompt'),
  worktreeId: idOf('worktree', 'Id of the worktree created for the delegation'),
  worktreePath: described(v.string(), 'Path of the worktree'),
  branch: described(v.string(), 'Branch created for the delegation'),
  state: described(
    DelegationState,
    'Current step; handed_over and rejected are final; rejected: a step failed, and the delegation was undone',
  ),
  failedStep: described(v.nullable(DelegationState), 'Step at which the delegation failed, or null'),
  error: described(v.nullable(Failure), 'Why the delegation failed, or null'),
  warnings,
  createdAt: described(Timestamp, 'Creation time'),
  updatedAt: described(Timestamp, 'Time of the last change to the delegation'),
});
export type Delegation = v.InferOutput<typeof Delegation>;
