import { setTimeout as delay } from 'node:timers/promises';
import type { OrchestrationEvent } from '@agent-console/shared/models/orchestration';
import type { ConsoleClient } from './client.ts';
import { print } from './output.ts';

/** Branch that receives the work of all agents of the demo's orchestration. */
const TARGET_BRANCH = 'demo/together';
const POLL_MS = 150;

const AGENTS = [
  { agentId: 'first', file: 'first.txt', stage: 0 },
  { agentId: 'second', file: 'second.txt', stage: 0 },
  { agentId: 'editor', file: 'review.txt', stage: 1 },
] as const;

/** Shows an orchestration in the demo: two writers at once, then an editor who receives their results. */
export async function orchestrate(
  client: ConsoleClient,
  repositoryId: string,
  narrate: (text: string, at?: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const { id, createdAt } = await client.call('orchestrations.create', {
    objective: 'Write two texts, and review them',
    repositoryId,
    strategy: 'pipeline',
    integrate: { into: TARGET_BRANCH },
    start: true,
    agents: AGENTS.map(({ agentId, file, stage }) => ({
      agentId,
      role: stage === 0 ? 'writer' : 'editor',
      stage,
      agenticTool: 'scripted',
      task: `@write ${file} by ${agentId}\n@commit Add ${file}\n@report succeeded ${file} is committed`,
    })),
  });
  narrate('created an orchestration of two writers and an editor: a pipeline with two stages', createdAt);
  const narrated = new Set<string>();
  for (let after = 0; ; await delay(POLL_MS, undefined, { signal: stop })) {
    // The state is read first, so that no event of an ended orchestration is left out.
    const { state, errorMessage } = await client.call('orchestrations.get', { orchestrationId: id });
    const { data } = await client.call('orchestrations.events', { orchestrationId: id, after });
    for (const event of data) {
      after = event.id;
      const text = describe(event);
      // Several events describe the merge of one branch in the same words, which are printed only once.
      if (text !== undefined && !narrated.has(text)) narrate(text, event.timestamp);
      if (text !== undefined) narrated.add(text);
      const { taskId } = event.data;
      if (event.eventType === 'agent_started' && event.agentId === 'editor' && typeof taskId === 'string') {
        await printResults(client, taskId);
      }
    }
    if (state === 'completed') break;
    if (state === 'failed' || state === 'cancelled') {
      throw new Error(`The orchestration ended with state ${state}: ${errorMessage ?? 'unknown reason'}`);
    }
  }
  narrate(`done: branch ${TARGET_BRANCH} contains ${AGENTS.map(({ file }) => file).join(', ')}`);
}

/** Prints the results of other agents, as the prompt of a task quotes them. */
async function printResults(client: ConsoleClient, taskId: string): Promise<void> {
  const { prompt } = await client.call('tasks.get', { taskId });
  for (const line of prompt.split('\n').filter((each) => /^>|: completed, branch /.test(each))) {
    print(`          ${line}`);
  }
}

/** Returns a sentence about an event, or undefined for events that the demo does not print. */
function describe({ eventType, agentId, data }: OrchestrationEvent): string | undefined {
  switch (eventType) {
    case 'session_started':
      return 'orchestration: started';
    case 'agent_started':
      return agentId === 'editor'
        ? 'editor: started, with the results of both writers in its prompt:'
        : `${agentId}: started`;
    case 'agent_completed':
      return `${agentId}: reported success`;
    case 'integration':
      return agentId === null || data.state !== 'running'
        ? undefined
        : `orchestration: merged the branch of ${agentId} into ${TARGET_BRANCH}`;
    case 'session_completed':
      return 'orchestration: completed';
    default:
      return undefined;
  }
}
