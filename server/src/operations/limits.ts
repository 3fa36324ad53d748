import { ConsoleError } from '@agent-console/shared/errors';
import type { Caller } from '../domain/caller.ts';
import {
  type DelegationLoad,
  depthOfDelegation,
  refuseAnotherChild,
  refusePromptByAgent,
  refuseTooDeep,
  tooManyLive,
} from '../domain/delegation.ts';
import { OPEN_STATUSES } from '../domain/tasks.ts';
import { admittedOrWaitingSessions, admittedSessions } from '../engine/sessions/live-limit.ts';
import type { SessionRow } from '../ports/rows.ts';
import type { Readers } from '../ports/storage.ts';
import type { OperationContext } from './operation.ts';

type Counted = Pick<
  Readers,
  'workers' | 'delegations' | 'sessions' | 'tasks' | 'orchestrations' | 'orchestrationAgents'
>;

/**
 * Returns the depth of a new child of `parent`; 0 for a session that a person creates. Must be called in the
 * transaction that inserts the session, so that parallel calls cannot exceed a limit together.
 * @throws LIMIT_EXCEEDED, see `depthOfDelegation`.
 */
export async function depthWithinLimits(
  read: Counted,
  context: OperationContext,
  parent: Pick<SessionRow, 'id' | 'depth'> | null,
): Promise<number> {
  const { delegationDepth, delegationChildren, liveSessions } = await context.settings.current();
  return depthOfDelegation(await loadOf(read, context, parent), {
    depth: delegationDepth,
    children: delegationChildren,
    liveSessions,
  });
}

/**
 * Returns what counts towards the limits of a new child of `parent`, or of a new session of a person if `parent` is
 * null.
 */
export async function loadOf(
  read: Counted,
  context: OperationContext,
  parent: Pick<SessionRow, 'id' | 'depth'> | null,
): Promise<DelegationLoad> {
  return {
    callerDepth: parent?.depth ?? null,
    openChildren: parent === null ? [] : await openChildrenOf(read, parent.id),
    liveSessions: (await admittedOrWaitingSessions(read, context.startingSessions)).size,
  };
}

/**
 * Returns the depth of a new session, like `depthWithinLimits`. But in a person's orchestration, agents have depth 1
 * instead of 0, because the orchestration is the level above them.
 */
export async function depthOfNew(
  read: Counted,
  context: OperationContext,
  parent: Pick<SessionRow, 'id' | 'depth'> | null,
  orchestrationId: string | undefined,
): Promise<number> {
  const depth = await depthWithinLimits(read, context, parent);
  return parent === null && orchestrationId !== undefined ? 1 : depth;
}

async function openChildrenOf(read: Counted, sessionId: string): Promise<string[]> {
  const children = await read.sessions.ids({ createdBySessionId: sessionId, removedAt: null });
  if (children.length === 0) return [];
  return read.tasks.distinct({ sessionId: children, kind: 'prompt', status: [...OPEN_STATUSES] }, 'sessionId');
}

/** @throws RUNNER_UNAVAILABLE while no process can be started or reached. */
export function refuseWithoutRunner({ runner }: OperationContext): void {
  if (!runner.gone) return;
  throw new ConsoleError(
    'RUNNER_UNAVAILABLE',
    'The runner is gone, so no agent can be started or reached. A person must run `agent-console serve` to start a new runner.',
    {},
    { retryable: false },
  );
}

/**
 * Rejects a call that starts a process if the session is not live and the maximum number of live sessions (setting
 * `liveSessions`) is already reached, or will be once the waiting sessions have started. Must be called in the
 * transaction that stores this session's start, so that parallel calls cannot exceed the limit together.
 * @throws LIMIT_EXCEEDED in this case, RUNNER_UNAVAILABLE if the runner is gone.
 */
export async function refuseBeyondLiveLimit(
  read: Counted,
  context: OperationContext,
  sessionId: string,
): Promise<void> {
  refuseWithoutRunner(context);
  const admitted = await admittedSessions(read, context.startingSessions);
  if (admitted.has(sessionId)) return;
  await refuseAnotherLive(context, sessionId, await admittedOrWaitingSessions(read, context.startingSessions));
}

/** Like `refuseBeyondLiveLimit`, but for a prompt, which can join the queue of a session that waits to start. */
async function refusePromptBeyondLiveLimit(read: Counted, context: OperationContext, sessionId: string): Promise<void> {
  refuseWithoutRunner(context);
  const counted = await admittedOrWaitingSessions(read, context.startingSessions);
  if (!counted.has(sessionId)) await refuseAnotherLive(context, sessionId, counted);
}

async function refuseAnotherLive(
  context: OperationContext,
  sessionId: string,
  counted: ReadonlySet<string>,
): Promise<void> {
  const others = counted.size - (counted.has(sessionId) ? 1 : 0);
  const { liveSessions } = await context.settings.current();
  if (others >= liveSessions) throw tooManyLive(others, liveSessions);
}

/**
 * Rejects a prompt beyond the limit of live sessions or, if an agent prompts another session that an agent created,
 * beyond the limits of delegations. The prompted session counts among the children of the session that created it,
 * whichever session prompts it. A session that was created without a prompt, for example for the commands of a
 * worktree, counts towards these limits only when it is prompted. Must be called in the transaction that stores the
 * prompt, so that parallel calls cannot exceed a limit together.
 * @throws LIMIT_EXCEEDED in these cases, RUNNER_UNAVAILABLE if the runner is gone.
 */
export async function refusePromptBeyondLimits(
  read: Counted,
  context: OperationContext,
  caller: Caller,
  session: CreatedSession,
): Promise<void> {
  const { id, createdBySessionId } = session;
  if (isOtherOfAgents(caller, session) && createdBySessionId !== null) {
    const { delegationDepth, delegationChildren } = await context.settings.current();
    const openChildren = await openChildrenOf(read, createdBySessionId);
    const isCaller = caller.sessionId === createdBySessionId;
    const limits = { depth: delegationDepth, children: delegationChildren };
    refusePromptByAgent(session, { id: createdBySessionId, isCaller, openChildren }, limits);
  }
  await refusePromptBeyondLiveLimit(read, context, id);
}

/**
 * Rejects the prompt with which an orchestration continues an agent, if it would exceed the limit of live sessions, or
 * the number of child sessions with an open task of `parent`, the session that created the orchestration. The depth is
 * not checked again, because a lowered setting must not end work that has begun. Must be called in the transaction that
 * stores the prompt.
 * @throws LIMIT_EXCEEDED in these cases, RUNNER_UNAVAILABLE if the runner is gone.
 */
export async function refuseContinuationBeyondLimits(
  read: Counted,
  context: OperationContext,
  parent: Pick<SessionRow, 'id'> | null,
  sessionId: string,
): Promise<void> {
  if (parent !== null) {
    const { delegationChildren } = await context.settings.current();
    refuseAnotherChild(sessionId, await openChildrenOf(read, parent.id), { children: delegationChildren });
  }
  await refuseBeyondLiveLimit(read, context, sessionId);
}

/**
 * Rejects the resumption of a session beyond the limit of live sessions or, if an agent resumes another session that an
 * agent created, beyond the depth of delegations. Otherwise, resuming a session that was created for the commands of a
 * worktree would start an agent that is too deep. The number of children does not matter here, because a resumed
 * session either has an open task and counts already, or gets none.
 * @throws LIMIT_EXCEEDED in these cases, RUNNER_UNAVAILABLE if the runner is gone.
 */
export async function refuseResumeBeyondLimits(
  read: Counted,
  context: OperationContext,
  caller: Caller,
  session: CreatedSession,
): Promise<void> {
  if (isOtherOfAgents(caller, session)) {
    refuseTooDeep(session, { depth: (await context.settings.current()).delegationDepth });
  }
  await refuseBeyondLiveLimit(read, context, session.id);
}

type CreatedSession = Pick<SessionRow, 'id' | 'depth' | 'createdBySessionId'>;

/** Whether the caller is an agent, and the session is another one that an agent created. */
function isOtherOfAgents(
  caller: Caller,
  { id, createdBySessionId }: CreatedSession,
): caller is Extract<Caller, { kind: 'worker' }> {
  return caller.kind === 'worker' && caller.sessionId !== id && createdBySessionId !== null;
}

/**
 * Runs a call that starts the session's agent after a transaction. In this transaction, the call must call `admit`,
 * which is `refuseBeyondLiveLimit`. From then until the call ends, the session counts towards the limit.
 */
export async function whileStarting<T>(
  context: OperationContext,
  sessionId: string,
  run: (admit: (read: Counted) => Promise<void>) => Promise<T>,
): Promise<T> {
  let remove = () => {};
  try {
    return await run(async (read) => {
      await refuseBeyondLiveLimit(read, context, sessionId);
      remove = context.startingSessions.add(sessionId);
    });
  } finally {
    remove();
  }
}
