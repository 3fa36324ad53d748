import { ConsoleError } from '@agent-console/shared/errors';
import type { DelegationState } from '@agent-console/shared/models/delegation';
import { pluralize } from '@agent-console/shared/pluralize';

/**
 * States in which the delegation's worktree and session are being created. A delegation in these states can still be
 * undone.
 */
export const PREPARING: readonly DelegationState[] = ['requested', 'creating_worktree', 'starting_agent'];

export interface DelegationLimits {
  depth: number;
  children: number;
  liveSessions: number;
}

export interface DelegationLoad {
  /** Depth of the calling session; null for a person, who is limited only by `liveSessions`. */
  callerDepth: number | null;
  /** Ids of the calling session's child sessions with an open task. */
  openChildren: readonly string[];
  liveSessions: number;
}

/**
 * Returns the depth of the session to create: 0 if a person delegates, otherwise one more than the caller's depth.
 * @throws LIMIT_EXCEEDED if the delegation would exceed a limit. The details contain the limit's name and value.
 */
export function depthOfDelegation(load: DelegationLoad, limits: DelegationLimits): number {
  if (load.callerDepth !== null && load.callerDepth + 1 > limits.depth) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `Delegations can be at most ${pluralize(limits.depth, 'level')} deep (setting delegationDepth), and this session is at level ${load.callerDepth}. Do the work in this session, or report to your parent session that it must be delegated elsewhere.`,
      { limit: 'delegationDepth', value: limits.depth, depth: load.callerDepth },
      { retryable: false },
    );
  }
  if (load.callerDepth !== null) refuseMoreChildren(load.openChildren, limits);
  if (load.liveSessions >= limits.liveSessions) {
    throw tooManyLive(load.liveSessions, limits.liveSessions);
  }
  return load.callerDepth === null ? 0 : load.callerDepth + 1;
}

/**
 * Returns the error of a start beyond the limit of live sessions.
 * @param live the number of sessions that are live or about to start
 */
export function tooManyLive(live: number, limit: number): ConsoleError {
  return new ConsoleError(
    'LIMIT_EXCEEDED',
    `${pluralize(live, 'session is', 'sessions are')} live or about to start, and at most ${limit} may be live (setting liveSessions). Stop or pause one first.`,
    { limit: 'liveSessions', value: limit },
  );
}

/**
 * Rejects the prompt of an agent for another session that an agent created.
 * @param creator the session that created the prompted session, with the ids of its child sessions with an open task.
 * It need not be the calling session, which may prompt all sessions below it.
 * @throws LIMIT_EXCEEDED if the session is too deep, or would be one child with an open task too many.
 */
export function refusePromptByAgent(
  session: { id: string; depth: number },
  creator: { id: string; isCaller: boolean; openChildren: readonly string[] },
  limits: Pick<DelegationLimits, 'depth' | 'children'>,
): void {
  refuseTooDeep(session, limits);
  const { id, isCaller, openChildren } = creator;
  if (!openChildren.includes(session.id)) refuseMoreChildren(openChildren, limits, isCaller ? undefined : id);
}

/**
 * Rejects the prompt with which an orchestration continues an agent, which is a child of the session that created the
 * orchestration.
 * @throws LIMIT_EXCEEDED if the session would be one child with an open task too many.
 */
export function refuseAnotherChild(
  id: string,
  openChildren: readonly string[],
  limits: Pick<DelegationLimits, 'children'>,
): void {
  if (!openChildren.includes(id)) refuseMoreChildren(openChildren, limits);
}

/**
 * Rejects the call of an agent that would start or prompt the agent of another session that an agent created.
 * @throws LIMIT_EXCEEDED if the session is too deep.
 */
export function refuseTooDeep(
  { id, depth }: { id: string; depth: number },
  limits: Pick<DelegationLimits, 'depth'>,
): void {
  if (depth <= limits.depth) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `Delegations can be at most ${pluralize(limits.depth, 'level')} deep (setting delegationDepth), and session ${id} is at level ${depth}, so agents cannot start or prompt its agent. Do the work in your own session, or report to your parent session that it must be delegated elsewhere.`,
    { limit: 'delegationDepth', value: limits.depth, depth },
    { retryable: false },
  );
}

/** @param sessionId the session with these children; by default the calling session. */
function refuseMoreChildren(
  openChildren: readonly string[],
  { children }: Pick<DelegationLimits, 'children'>,
  sessionId?: string,
): void {
  if (openChildren.length < children) return;
  const whose = sessionId === undefined ? 'This session' : `Session ${sessionId}`;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `${whose} already has ${pluralize(openChildren.length, 'child session')} with an open task (setting delegationChildren: ${children}). Wait until one of these tasks has ended.`,
    { limit: 'delegationChildren', value: children, holders: openChildren },
  );
}
