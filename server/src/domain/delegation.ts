import { ConsoleError } from '@agent-console/shared/errors';
import type { DelegationState } from '@agent-console/shared/models/delegation';

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
      `Delegations can be at most ${limits.depth} levels deep (setting delegationDepth), and this session is at level ${load.callerDepth}. Do the work in this session, or report to your parent session that it must be delegated elsewhere.`,
      { limit: 'delegationDepth', value: limits.depth, depth: load.callerDepth },
      { retryable: false },
    );
  }
  if (load.callerDepth !== null) refuseMoreChildren(load.openChildren, limits);
  if (load.liveSessions >= limits.liveSessions) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `${load.liveSessions} sessions are live, and at most ${limits.liveSessions} are allowed (setting liveSessions). Stop or pause one first.`,
      { limit: 'liveSessions', value: limits.liveSessions },
    );
  }
  return load.callerDepth === null ? 0 : load.callerDepth + 1;
}

/**
 * Rejects the prompt of an agent for another session that an agent created.
 * @param openChildren ids of the calling session's child sessions with an open task; null if the calling session did
 * not create the prompted session.
 * @throws LIMIT_EXCEEDED if the session is too deep, or would be one child with an open task too many.
 */
export function refusePromptByAgent(
  session: { id: string; depth: number },
  openChildren: readonly string[] | null,
  limits: Pick<DelegationLimits, 'depth' | 'children'>,
): void {
  const { id, depth } = session;
  if (depth > limits.depth) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `Delegations can be at most ${limits.depth} levels deep (setting delegationDepth), and session ${id} is at level ${depth}, so agents cannot prompt it. Do the work in your own session, or report to your parent session that it must be delegated elsewhere.`,
      { limit: 'delegationDepth', value: limits.depth, depth },
      { retryable: false },
    );
  }
  if (openChildren !== null) refuseAnotherChild(id, openChildren, limits);
}

/**
 * Rejects a prompt for a child session of an agent.
 * @throws LIMIT_EXCEEDED if the session would be one child with an open task too many.
 */
export function refuseAnotherChild(
  id: string,
  openChildren: readonly string[],
  limits: Pick<DelegationLimits, 'children'>,
): void {
  if (!openChildren.includes(id)) refuseMoreChildren(openChildren, limits);
}

function refuseMoreChildren(openChildren: readonly string[], { children }: Pick<DelegationLimits, 'children'>): void {
  if (openChildren.length < children) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `This session already has ${openChildren.length} child sessions with an open task (setting delegationChildren: ${children}). Wait until one of these tasks has ended.`,
    { limit: 'delegationChildren', value: children, holders: openChildren },
  );
}
