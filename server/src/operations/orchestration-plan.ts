import type { DefinedOrchestration } from '@agent-console/shared/definition-file';
import type { OrchestrationPlan } from '@agent-console/shared/models/orchestration-definition';
import { pluralize } from '@agent-console/shared/pluralize';
import { type PlannedAgent, planAgents, wavesOf } from '../domain/orchestration/plan.ts';
import { permissionOfNewSession } from '../domain/permission-mode.ts';
import type { ChosenAgent } from '../engine/agents/catalogue.ts';
import type { RepositoryRow, SessionRow } from '../ports/rows.ts';
import { loadOf } from './limits.ts';
import type { OperationContext } from './operation.ts';

type Shape = Omit<OrchestrationPlan, 'name' | 'contentHash' | 'isAccepted'>;

/**
 * Returns what an orchestration would do, with the agents and permission modes that its sessions would get now.
 * @throws the same errors about the agents as `orchestrations.create`.
 */
export async function planOf(
  context: OperationContext,
  orchestration: DefinedOrchestration,
  repository: RepositoryRow,
  creator: SessionRow | null,
): Promise<Shape> {
  const { strategy, isolation } = orchestration;
  const planned = planAgents(strategy, orchestration.agents);
  const stages = wavesOf(strategy, planned);
  const maxConcurrent = orchestration.maxConcurrent ?? null;
  const maxParallel = Math.min(
    Math.max(0, ...stages.map((stage) => stage.length)),
    maxConcurrent ?? Number.POSITIVE_INFINITY,
  );
  return {
    repositoryId: repository.id,
    objective: orchestration.objective,
    strategy,
    isolation,
    base: orchestration.baseBranch ?? repository.defaultBranch,
    maxConcurrent,
    onFailure: orchestration.onFailure,
    budget: orchestration.budget ?? null,
    integrateInto: orchestration.integrate?.into ?? null,
    stages,
    agents: await agentsOf(context, planned, creator),
    worktrees: planned.length === 0 ? 0 : isolation === 'shared' ? 1 : planned.length,
    limits: await limitsOf(
      context,
      { maxParallel, count: planned.length, budget: orchestration.budget?.agents },
      creator,
    ),
  };
}

async function agentsOf(
  { catalogue, settings }: OperationContext,
  planned: readonly PlannedAgent[],
  creator: SessionRow | null,
): Promise<OrchestrationPlan['agents']> {
  const { defaultAgentId } = await settings.current();
  const chosen = new Map<string | null, ChosenAgent>();
  const parent = creator && {
    sessionId: creator.id,
    mode: creator.permissionMode,
    ceiling: creator.permissionCeiling,
  };
  const agents: OrchestrationPlan['agents'] = [];
  for (const { agentId, role, agenticTool, permissionMode, dependencies, task } of planned) {
    const agent = chosen.get(agenticTool) ?? (await catalogue.choose(agenticTool, creator?.agentId, defaultAgentId));
    chosen.set(agenticTool, agent);
    const request = { mode: permissionMode ?? undefined, ceiling: undefined };
    const { requested } = permissionOfNewSession(request, { parent, defaultMode: agent.defaultMode });
    const { mode } = agent.permission(requested);
    agents.push({ agentId, role, agent: agent.id, permissionMode: mode, dependencies, task });
  }
  return agents;
}

/** Returns a message for each limit that the orchestration would reach if it started now. */
async function limitsOf(
  context: OperationContext,
  { maxParallel, count, budget }: { maxParallel: number; count: number; budget: number | undefined },
  creator: SessionRow | null,
): Promise<string[]> {
  const { liveSessions, delegationDepth, delegationChildren } = await context.settings.current();
  const load = await loadOf(context.storage.read, context, creator);
  const free = Math.max(0, liveSessions - load.liveSessions);
  const reached: string[] = [];
  if (maxParallel > free) {
    reached.push(
      `Up to ${maxParallel} agents can run at the same time, but only ${free} more sessions may be live (setting liveSessions: ${liveSessions}). The other agents wait.`,
    );
  }
  if (budget !== undefined && count > budget) {
    reached.push(
      `There are ${count} agents, but the budget allows ${budget}. The orchestration pauses after ${budget} agents until a person allows more agents.`,
    );
  }
  if (creator === null) return reached;
  if (creator.depth + 1 > delegationDepth) {
    reached.push(
      `Sessions can be at most ${pluralize(delegationDepth, 'level')} deep (setting delegationDepth), so no agent can start.`,
    );
  }
  const children = load.openChildren.length;
  if (maxParallel + children > delegationChildren) {
    reached.push(
      `Up to ${maxParallel} agents can run at the same time, but this session already has ${pluralize(children, 'child session')} with an open task (setting delegationChildren: ${delegationChildren}). Agents beyond this limit wait.`,
    );
  }
  return reached;
}
