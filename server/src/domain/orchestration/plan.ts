import { fieldError } from '@agent-console/shared/errors';
import { AGENT_NAME_MAX_CHARS } from '@agent-console/shared/limits/orchestrations';
import type { OrchestrationStrategy } from '@agent-console/shared/models/orchestration';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { AgentSpec } from '@agent-console/shared/operations/orchestrations';
import { type AgentNode, levelsOf, oneByOne } from './graph.ts';

/** The fields that are stored when an agent is added to an orchestration. */
export interface PlannedAgent {
  agentId: string;
  role: string;
  suffix: string | null;
  task: string;
  dependencies: string[];
  agenticTool: string | null;
  permissionMode: PermissionMode | null;
  stage: number;
  allowFailure: boolean;
  maxAttempts: number;
  timeoutSeconds: number;
}

/**
 * Names the agents, removes duplicate dependencies, and checks the plan.
 * @param existing agents that the orchestration already has. New agents may depend on them.
 * @throws CONFLICT for a name that is already taken. VALIDATION for a default name that is too long, and for a
 * dependency that is unknown, in a cycle, or not allowed by the strategy. `details.field` is a path such as
 * `agents[2].dependencies`.
 */
export function planAgents(
  strategy: OrchestrationStrategy,
  specs: readonly AgentSpec[],
  existing: readonly PlannedAgent[] = [],
): PlannedAgent[] {
  const names = nameAgents(specs, existing);
  const planned = specs.map((spec, index) => ({
    agentId: names[index] ?? spec.role,
    role: spec.role,
    suffix: spec.suffix ?? null,
    task: spec.task,
    dependencies: [...new Set(spec.dependencies)],
    agenticTool: spec.agenticTool ?? null,
    permissionMode: spec.permissionMode ?? null,
    stage: spec.stage,
    allowFailure: spec.allowFailure,
    maxAttempts: spec.maxAttempts,
    timeoutSeconds: spec.timeoutSeconds,
  }));
  checkDependencies(strategy, planned, existing);
  refuseCycles(planned);
  return planned;
}

/**
 * Returns the names of new agents. An agent without `agentId` is named after its role and suffix (`reviewer-security`)
 * or, without a suffix, after its role and the lowest free number (`reviewer-2`). The numbered names are chosen last.
 */
function nameAgents(specs: readonly AgentSpec[], existing: readonly PlannedAgent[]): string[] {
  const taken = new Set(existing.map((agent) => agent.agentId));
  const names = specs.map((spec, index) => {
    const name = spec.agentId ?? (spec.suffix === undefined ? null : `${spec.role}-${spec.suffix}`);
    if (name !== null) claimName(taken, name, index, spec.agentId !== undefined);
    return name;
  });
  const numbers = new Map<string, number>();
  return specs.map(({ role }, index) => {
    const name = names[index] ?? null;
    if (name !== null) return name;
    let number = (numbers.get(role) ?? 0) + 1;
    while (taken.has(`${role}-${number}`)) number += 1;
    numbers.set(role, number);
    claimName(taken, `${role}-${number}`, index, false);
    return `${role}-${number}`;
  });
}

function claimName(taken: Set<string>, name: string, index: number, isChosen: boolean): void {
  const field = `agents[${index}].agentId`;
  if (name.length > AGENT_NAME_MAX_CHARS) {
    throw fieldError(
      field,
      `is required here, because the default name ${name} has more than ${AGENT_NAME_MAX_CHARS} characters`,
    );
  }
  if (taken.has(name)) {
    const hint = isChosen ? 'agent names must be unique' : 'give this agent an agentId or another suffix';
    throw fieldError(field, `another agent is already called ${name}; ${hint}`, { agentId: name }, 'CONFLICT');
  }
  taken.add(name);
}

function checkDependencies(
  strategy: OrchestrationStrategy,
  planned: readonly PlannedAgent[],
  existing: readonly PlannedAgent[],
): void {
  const byName = new Map([...existing, ...planned].map((agent) => [agent.agentId, agent]));
  for (const [index, { agentId, dependencies, stage }] of planned.entries()) {
    const refuse = (problem: string, dependency?: string) =>
      fieldError(`agents[${index}].dependencies`, problem, {
        agentId,
        ...(dependency === undefined ? {} : { dependency }),
      });
    for (const name of dependencies) {
      const dependency = byName.get(name);
      if (dependency === undefined)
        throw refuse(`${agentId} depends on ${name}, which is not an agent of this plan`, name);
      if (name === agentId) throw refuse(`${agentId} depends on itself`, name);
      if (strategy === 'pipeline' && dependency.stage > stage) {
        throw refuse(
          `${agentId} (stage ${stage}) depends on ${name}, which is in the later stage ${dependency.stage}`,
          name,
        );
      }
    }
    if (strategy === 'parallel' && dependencies.length > 0) {
      throw refuse(
        `${agentId} has dependencies, but the strategy parallel starts all agents at once; use the strategy adaptive to run agents in the order of their dependencies`,
      );
    }
  }
}

/** Rejects cycles. Existing agents cannot depend on new ones, so a cycle consists only of new agents. */
function refuseCycles(planned: readonly PlannedAgent[]): void {
  const { rest } = levelsOf(planned);
  const first = rest[0];
  if (first === undefined) return;
  const cycle = cycleIn(rest, first);
  const start = planned.findIndex((agent) => cycle.includes(agent.agentId));
  const at = cycle.indexOf(planned[start]?.agentId ?? '');
  const names = [...cycle.slice(at), ...cycle.slice(0, at), cycle[at]];
  throw fieldError(
    `agents[${start}].dependencies`,
    `the agents depend on each other in a cycle: ${names.join(' → ')}; remove one of these dependencies`,
    { cycle: names },
  );
}

/** Returns the names of the agents in a cycle. Every agent in `agents` must depend on another agent in `agents`. */
function cycleIn(agents: readonly PlannedAgent[], first: PlannedAgent): string[] {
  const byName = new Map(agents.map((agent) => [agent.agentId, agent]));
  const path = new Map<string, number>();
  let current: PlannedAgent | undefined = first;
  while (current !== undefined && !path.has(current.agentId)) {
    path.set(current.agentId, path.size);
    current = current.dependencies.map((name) => byName.get(name)).find((agent) => agent !== undefined);
  }
  return [...path.keys()].slice(path.get(current?.agentId ?? '') ?? 0);
}

/**
 * Returns the names of agents in groups that can run at the same time, in the order in which the groups run. Limits,
 * and dependencies outside the list, are ignored.
 */
export function wavesOf(
  strategy: OrchestrationStrategy,
  agents: readonly (AgentNode & { stage: number })[],
): string[][] {
  const name = ({ agentId }: { agentId: string }) => agentId;
  if (strategy === 'sequential') return oneByOne(agents).map((agent) => [agent.agentId]);
  if (strategy !== 'pipeline') return levelsOf(agents).levels.map((level) => level.map(name));
  const stages = [...new Set(agents.map((agent) => agent.stage))].sort((a, b) => a - b);
  return stages
    .map((stage) => agents.filter((agent) => agent.stage === stage))
    .flatMap((stage) => levelsOf(stage).levels.map((level) => level.map(name)));
}
