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
  if (load.callerDepth !== null && load.openChildren.length >= limits.children) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `This session already has ${load.openChildren.length} child sessions with an open task (setting delegationChildren: ${limits.children}). Wait until one of these tasks has ended.`,
      { limit: 'delegationChildren', value: limits.children, holders: load.openChildren },
    );
  }
  if (load.liveSessions >= limits.liveSessions) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `${load.liveSessions} sessions are live, and at most ${limits.liveSessions} are allowed (setting liveSessions). Stop or pause one first.`,
      { limit: 'liveSessions', value: limits.liveSessions },
    );
  }
  return load.callerDepth === null ? 0 : load.callerDepth + 1;
}
