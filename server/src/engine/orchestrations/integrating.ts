import type { OrchestrationIntegration } from '@agent-console/shared/models/orchestration';
import { wavesOf } from '../../domain/orchestration/plan.ts';
import { isOpen } from '../../domain/tasks.ts';
import type { Git } from '../../ports/git.ts';
import type { OrchestrationAgentRow, OrchestrationRow, WorktreeRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';
import { checkOf } from '../integrations/check.ts';
import { toStoredError } from '../present.ts';
import type { OrchestrationActions } from './actions.ts';

interface Deps {
  storage: Pick<Storage, 'read'>;
  git: Pick<Git, 'tipOf'>;
  actions: Pick<OrchestrationActions, 'prepareTarget' | 'integrate' | 'check'>;
}

/** Maximum number of successive attempts to resolve the conflicts of one branch. */
const RESOLUTIONS_MAX = 3;

type Result = { state: 'integrated' } | { state: 'waiting' } | (Pick<OrchestrationIntegration, 'state'> & Failure);
type Failure = Partial<Pick<OrchestrationIntegration, 'conflicts' | 'errorMessage'>>;

/** Whether the branches of the agents must be integrated before the orchestration can end as completed. */
export function mustIntegrate(
  { integrate, integration }: Pick<OrchestrationRow, 'integrate' | 'integration'>,
  agents: readonly OrchestrationAgentRow[],
): boolean {
  const isDone = integration !== null && integration.state !== 'pending' && integration.state !== 'running';
  return (
    integrate !== null && !isDone && agents.some((agent) => agent.state === 'completed' && agent.worktreeId !== null)
  );
}

/**
 * Integrates the branches of completed agents into the target branch, in the order of their dependencies, and checks
 * the result. Stored integrations show which branches were integrated before a crash. Returns the state to store:
 * `running` while the target's worktree is being created, or an integration or a resolution of conflicts is in
 * progress.
 */
export async function integrateAgents(
  deps: Deps,
  orchestration: OrchestrationRow,
  agents: readonly OrchestrationAgentRow[],
): Promise<OrchestrationIntegration> {
  const { into = '', check = false } = orchestration.integrate ?? {};
  const progress: OrchestrationIntegration = {
    into,
    state: 'running',
    integrated: [],
    conflicts: [],
    checkPassed: null,
    commit: null,
    errorMessage: null,
  };
  try {
    const target = await deps.actions.prepareTarget(orchestration, into);
    if (target === null) return progress;
    for (const agent of inOrder(orchestration, agents)) {
      const result = await integrateWorktree(
        deps,
        orchestration,
        agent.agentId,
        agent.worktreeId ?? '',
        RESOLUTIONS_MAX,
      );
      if (result.state === 'waiting') return progress;
      if (result.state !== 'integrated') return { ...progress, ...result };
      progress.integrated.push(agent.agentId);
    }
    const commit = await tipOf(deps, target);
    const checkPassed = check ? await checked(deps, orchestration, target, commit) : null;
    return { ...progress, state: 'integrated', commit, checkPassed };
  } catch (error) {
    return { ...progress, state: 'failed', errorMessage: toStoredError(error).message };
  }
}

/** Returns the completed agents in the order of their dependencies, but only the first agent of each worktree. */
function inOrder({ strategy }: OrchestrationRow, agents: readonly OrchestrationAgentRow[]): OrchestrationAgentRow[] {
  const byName = new Map(agents.map((agent) => [agent.agentId, agent]));
  const worktrees = new Set<string>();
  return wavesOf(strategy, agents)
    .flat()
    .flatMap((agentId) => byName.get(agentId) ?? [])
    .filter(({ state, worktreeId }) => {
      if (state !== 'completed' || worktreeId === null || worktrees.has(worktreeId)) return false;
      worktrees.add(worktreeId);
      return true;
    });
}

async function integrateWorktree(
  deps: Deps,
  orchestration: OrchestrationRow,
  agentId: string,
  worktreeId: string,
  resolutions: number,
): Promise<Result> {
  const { read } = deps.storage;
  const { into = '', resolve = false } = orchestration.integrate ?? {};
  const latest = () =>
    read.integrations.first({ repositoryId: orchestration.repositoryId, worktreeId, into }, { order: ['-id'] });
  if ((await latest()) === undefined) {
    await deps.actions.integrate(orchestration, worktreeId, { into, resolve: resolve && resolutions > 0 });
  }
  const row = await latest();
  switch (row?.state) {
    case 'running':
      return { state: 'waiting' };
    case 'integrated':
      return { state: 'integrated' };
    case 'conflicts': {
      const conflicts = row.conflicts.map((conflict) => ({ agentId, ...conflict }));
      const errorMessage = `The branch of ${agentId} conflicts in ${conflicts.map(({ path }) => path).join(', ')}.`;
      const failed = { state: 'conflicts', conflicts, errorMessage } as const;
      const resolver = row.resolvingSessionId;
      if (resolver === null) return failed;
      const session = await read.sessions.get(resolver);
      const task = await read.tasks.first({ sessionId: resolver, kind: 'prompt' }, { order: ['-id'] });
      if (task !== undefined && isOpen(task.status)) return { state: 'waiting' };
      if (task?.status !== 'completed' || session?.worktreeId == null) return failed;
      return integrateWorktree(deps, orchestration, agentId, session.worktreeId, resolutions - 1);
    }
    default:
      return { state: 'failed', errorMessage: row?.errorMessage ?? `The branch of ${agentId} was not integrated.` };
  }
}

async function tipOf({ storage, git }: Deps, target: WorktreeRow): Promise<string | null> {
  const repository = await storage.read.repositories.get(target.repositoryId);
  return repository === undefined || target.branch === null ? null : git.tipOf(repository, target.branch);
}

/**
 * Returns whether the check of the target's commit passed. The check runs only if no result for this commit is stored.
 */
async function checked(
  { storage, actions }: Deps,
  orchestration: OrchestrationRow,
  target: WorktreeRow,
  commit: string | null,
): Promise<boolean> {
  if (commit === null) return false;
  const known = await checkOf(storage.read, target.repositoryId, commit);
  if (known === null) await actions.check(orchestration, target.id);
  return (known ?? (await checkOf(storage.read, target.repositoryId, commit)))?.passed === true;
}
