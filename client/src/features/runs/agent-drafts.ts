import type { OrchestrationStrategy } from '@agent-console/shared/models/orchestration';
import type { RequestOf } from '@agent-console/shared/operations/table';

export interface AgentDraft {
  /** Identifies the draft within the form. */
  key: string;
  name: string;
  role: string;
  task: string;
  agenticTool: string;
  /** Agents to wait for: keys of drafts, and names of agents that the run already has. */
  after: readonly string[];
  /** Stage of a pipeline, from 1. */
  stage: string;
  maxAttempts: string;
  allowFailure: boolean;
}

type AgentSpec = RequestOf<'orchestrations.create'>['agents'][number];

export function emptyDraft(stage = 1): AgentDraft {
  return {
    key: crypto.randomUUID(),
    name: '',
    role: '',
    task: '',
    agenticTool: '',
    after: [],
    stage: String(stage),
    maxAttempts: '1',
    allowFailure: false,
  };
}

/**
 * Returns the name of each draft by the draft's key. An agent without an entered name is named after its role, with a
 * number. The call that creates the agents needs all names, because it states dependencies by name.
 * @param taken names of agents that the run already has
 */
export function namesOf(drafts: readonly AgentDraft[], taken: readonly string[] = []): ReadonlyMap<string, string> {
  const used = new Set([...taken, ...drafts.map(({ name }) => name.trim())]);
  const names = new Map<string, string>();
  for (const { key, name, role } of drafts) {
    let chosen = name.trim();
    const stem = role.trim() || 'agent';
    for (let number = 1; chosen === ''; number += 1) {
      if (!used.has(`${stem}-${number}`)) chosen = `${stem}-${number}`;
    }
    used.add(chosen);
    names.set(key, chosen);
  }
  return names;
}

/** Whether agents can depend on other agents under a strategy. */
export function hasDependencies(strategy: OrchestrationStrategy): boolean {
  return strategy === 'adaptive' || strategy === 'pipeline';
}

/** Converts drafts to the agents that the API expects. */
export function specsOf(
  drafts: readonly AgentDraft[],
  strategy: OrchestrationStrategy,
  taken: readonly string[] = [],
): AgentSpec[] {
  const names = namesOf(drafts, taken);
  return drafts.map(({ key, role, task, agenticTool, after, stage, maxAttempts, allowFailure }) => ({
    agentId: names.get(key) ?? '',
    role: role.trim(),
    task,
    ...(agenticTool === '' ? {} : { agenticTool }),
    ...(hasDependencies(strategy) ? { dependencies: after.map((each) => names.get(each) ?? each) } : {}),
    ...(strategy === 'pipeline' ? { stage: Number(stage) - 1 } : {}),
    maxAttempts: Number(maxAttempts),
    allowFailure,
  }));
}
