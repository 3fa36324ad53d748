import { agentPrompt, upstreamOf } from '../../domain/orchestration/prompt.ts';
import type { OrchestrationFiles } from '../../ports/orchestration-files.ts';
import type { OrchestrationAgentRow, OrchestrationRow } from '../../ports/rows.ts';

/** Texts that the agents of an orchestration receive. */

export interface Prompting {
  files: Pick<OrchestrationFiles, 'sharedFolder'>;
}

/**
 * Returns the prompt of an agent and the base from which its worktree starts. The base is the commit of the completed
 * agents whose results the prompt contains, if they have exactly one commit; otherwise it is the base of the
 * orchestration.
 */
export function promptFor(
  { files }: Prompting,
  orchestration: OrchestrationRow,
  agents: readonly OrchestrationAgentRow[],
  agent: OrchestrationAgentRow,
): { prompt: string; base: string } {
  const { id: orchestrationId, objective, isolation, strategy, base } = orchestration;
  const upstream = new Set(upstreamOf(strategy, agent, agents));
  const before = agents.filter(({ agentId }) => upstream.has(agentId));
  const commits = new Set(before.flatMap(({ commit, state }) => (state === 'completed' ? (commit ?? []) : [])));
  const [only] = commits;
  const prompt = agentPrompt({
    orchestrationId,
    objective,
    isolation,
    sharedDirectory: files.sharedFolder(orchestration),
    agent,
    results: before.map((each) => ({ ...each, summary: each.summary ?? each.errorMessage })),
    others: agents.filter(({ agentId }) => agentId !== agent.agentId),
  });
  return { prompt, base: commits.size === 1 && only !== undefined ? only : base };
}

/** Returns the prompt with which an interrupted or paused agent continues. */
export function continuationPrompt({ state }: Pick<OrchestrationAgentRow, 'state'>): string {
  const why = state === 'paused' ? 'The orchestration was paused and continues now.' : 'Your process was interrupted.';
  return `${why} Look at what you have done so far, continue your task where you stopped, and call report_result when it is done.`;
}
