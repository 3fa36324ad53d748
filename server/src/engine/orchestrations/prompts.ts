import { HANDED_OVER_FILE_LISTS_MAX } from '@agent-console/shared/limits/orchestrations';
import { agentPrompt, type PassedResult, upstreamOf } from '../../domain/orchestration/prompt.ts';
import type { Git } from '../../ports/git.ts';
import type { OrchestrationFiles } from '../../ports/orchestration-files.ts';
import type { OrchestrationAgentRow, OrchestrationRow, RepositoryRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';
import { checkOf } from '../integrations/check.ts';

/** The functions in this file return the prompts of an orchestration's agents. */

export interface Prompting {
  storage: Pick<Storage, 'read'>;
  git: Pick<Git, 'filesBetween'>;
  files: Pick<OrchestrationFiles, 'sharedFolder'>;
}

/**
 * Returns the prompt of an agent and the base from which its worktree starts. The base is that of the orchestration.
 * But if all completed agents whose results the prompt contains ended at the same commit, the base is this commit.
 */
export async function promptFor(
  deps: Prompting,
  orchestration: OrchestrationRow,
  agents: readonly OrchestrationAgentRow[],
  agent: OrchestrationAgentRow,
): Promise<{ prompt: string; base: string }> {
  const { id: orchestrationId, objective, isolation, strategy, base, repositoryId } = orchestration;
  const upstream = new Set(upstreamOf(strategy, agent, agents));
  const before = agents.filter(({ agentId }) => upstream.has(agentId));
  const commits = new Set(before.flatMap(({ commit, state }) => (state === 'completed' ? (commit ?? []) : [])));
  const [only] = commits;
  const repository = await deps.storage.read.repositories.get(repositoryId);
  const prompt = agentPrompt({
    orchestrationId,
    objective,
    isolation,
    sharedDirectory: deps.files.sharedFolder(orchestration),
    hasCheck: repository?.checkCommand != null,
    agent,
    results: await resultsOf(deps, repository, before),
    others: agents.filter(({ agentId }) => agentId !== agent.agentId),
  });
  return { prompt, base: commits.size === 1 && only !== undefined ? only : base };
}

/** Returns the results of agents, with the changed files and the check result of their commits. */
async function resultsOf(
  { storage: { read }, git }: Prompting,
  repository: RepositoryRow | undefined,
  agents: readonly OrchestrationAgentRow[],
): Promise<PassedResult[]> {
  const listed = new Set(agents.filter(({ commit }) => commit !== null).slice(0, HANDED_OVER_FILE_LISTS_MAX));
  const results: PassedResult[] = [];
  for (const agent of agents) {
    const summary = agent.summary ?? agent.errorMessage;
    const { commit, worktreeId } = agent;
    if (repository === undefined || commit === null) {
      results.push({ ...agent, summary, start: null, files: null, checkPassed: null });
      continue;
    }
    const check = await checkOf(read, repository.id, commit);
    const worktree = worktreeId === null || !listed.has(agent) ? undefined : await read.worktrees.get(worktreeId);
    const start = worktree?.baseSha ?? null;
    // If git cannot compare the commits, the prompt lists no files.
    const files = start === null ? null : await git.filesBetween(repository, start, commit).catch(() => null);
    results.push({ ...agent, summary, start, files, checkPassed: check?.clean === true ? check.passed : null });
  }
  return results;
}

/** Returns the prompt with which an interrupted or paused agent continues. */
export function continuationPrompt({ state }: Pick<OrchestrationAgentRow, 'state'>): string {
  const why = state === 'paused' ? 'The orchestration was paused and continues now.' : 'Your process was interrupted.';
  return `${why} Look at what you have done so far, continue your task where you stopped, and call report_result when it is done.`;
}
