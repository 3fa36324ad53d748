import type { IntegrationStrategy } from '@agent-console/shared/models/integration';

/** This module chooses the target branch of an integration, and writes the message of its commit. */

export interface TargetRequest {
  /** Target branch that the caller named, if any. */
  into: string | undefined;
  /** Branch of the calling agent's own worktree; null if it has none; undefined for a person. */
  ownBranch: string | null | undefined;
  /** Ref from which the worktree's branch was created; null if it is not known. */
  baseRef: string | null;
  defaultBranch: string;
  /** Whether the owner of the console lets agents integrate into the default branch. */
  agentsMayIntegrate: boolean;
}

export type TargetDecision = { into: string } | { refused: string };

/** Returns candidates for the branch with which a worktree's work is compared, best first. */
export function baseCandidates({ baseRef, defaultBranch }: Pick<TargetRequest, 'baseRef' | 'defaultBranch'>): string[] {
  const named = baseRef?.replace(/^refs\/heads\//, '').replace(/^(?:refs\/remotes\/)?origin\//, '');
  return [...new Set([...(named === undefined ? [] : [named]), defaultBranch])];
}

/**
 * Chooses the target branch of an integration. A person may choose any branch. An agent may choose the branch of its
 * own worktree or the default branch. The default branch, even as the agent's own branch, needs the permission of the
 * console's owner.
 * @param base the existing branch that the worktree is compared with.
 */
export function chooseTarget(request: TargetRequest, base: string): TargetDecision {
  const { ownBranch, defaultBranch, agentsMayIntegrate } = request;
  if (ownBranch === undefined) return { into: request.into ?? base };
  const into = request.into ?? ownBranch;
  if (into === null) {
    return { refused: NO_TARGET };
  }
  if (into === defaultBranch && !agentsMayIntegrate) {
    return {
      refused: `Agents can integrate into the default branch ${into} only if the local owner allows it (repository setting agentsMayIntegrate). Ask the person you work for.`,
    };
  }
  if (into === ownBranch || into === defaultBranch) return { into };
  const allowed = [
    ...(ownBranch === null ? [] : [`into the branch of your own worktree, ${ownBranch}`]),
    ...(agentsMayIntegrate ? [`into ${defaultBranch}`] : []),
  ];
  if (allowed.length === 0) return { refused: NO_TARGET };
  return { refused: `You can integrate only ${allowed.join(', or ')}. Ask the person you work for.` };
}

const NO_TARGET = 'Your session has no worktree with a branch to integrate into. Ask the person you work for.';

/** Returns the message of a merge or squash commit. A squash commit has `title` as its message, if there is a title. */
export function integrationMessage(
  strategy: IntegrationStrategy,
  { branch, into, title }: { branch: string; into: string; title: string | null },
): string {
  if (strategy === 'squash') return `${title ?? `Squash branch '${branch}'`}\n`;
  return `Merge branch '${branch}' into ${into}\n`;
}
