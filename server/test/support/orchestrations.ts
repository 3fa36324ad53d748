import { ConsoleError } from '@agent-console/shared/errors';
import type { OrchestrationAgent, OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { RequestOf } from '@agent-console/shared/operations/table';
import { asWorker } from './calling.ts';
import type { TestApp } from './test-app.ts';

type Create = RequestOf<'orchestrations.create'>;
export type Agents = Create['agents'];
export type CreateOptions = Partial<Create>;

/** A task that the scripted agent reports as succeeded at once. */
export const done = (summary = 'done') => `@report succeeded ${summary}`;

/** A task that ends only by `reportAs`, a pause or a cancellation. */
export const busy = '@sleep 86400000';

export const FINAL = ['completed', 'failed', 'cancelled'];

export function orchestrationsIn(app: () => TestApp) {
  const call = () => app().client;

  const create = (agents: Agents, options: CreateOptions = {}): Promise<OrchestrationStatus> =>
    call().call('orchestrations.create', {
      objective: 'Build the shop',
      repositoryId: app().repository.id,
      ...options,
      agents: agents.map((agent) => ({ agenticTool: 'scripted', ...agent })),
    });

  const status = (orchestrationId: string): Promise<OrchestrationStatus> =>
    call().call('orchestrations.get', { orchestrationId });

  /** Waits until the status of an orchestration fulfills a condition, and returns the status. */
  const reached = (id: string, what: string, isReached: (status: OrchestrationStatus) => boolean) =>
    app().until(what, async () => {
      const current = await status(id);
      return isReached(current) ? current : undefined;
    });

  const agentOf = async (id: string, agentId: string): Promise<OrchestrationAgent> => {
    const agent = (await status(id)).agents.find((each) => each.agentId === agentId);
    if (agent === undefined) throw new Error(`no agent ${agentId}`);
    return agent;
  };

  /** Waits until the process of an agent runs, and returns its worker. Throws if the agent has failed. */
  const workerOf = (id: string, agentId: string) =>
    app().until(`the process of ${agentId}`, async () => {
      const { sessionId, state, errorMessage } = await agentOf(id, agentId);
      if (state === 'failed') throw new Error(`agent ${agentId} failed: ${errorMessage}`);
      if (sessionId === null) return undefined;
      // A failed start, for example because git reached its time limit, removes the session.
      const workers = await call()
        .call('sessions.workers', { sessionId })
        .catch((error) => {
          if (error instanceof ConsoleError && error.code === 'NOT_FOUND') return { data: [] };
          throw error;
        });
      return workers.data.find(({ type, state }) => type === 'agent' && state === 'running');
    });

  return {
    create,
    status,
    reached,
    /** Waits until each of these agents is in a state. */
    agentsReached: (id: string, agentIds: readonly string[], state: OrchestrationAgent['state']) =>
      reached(id, `${agentIds} to be ${state}`, ({ agents }) =>
        agents.every((agent) => !agentIds.includes(agent.agentId) || agent.state === state),
      ),
    agentOf,
    workerOf,
    ended: (id: string) => reached(id, 'the end of the orchestration', ({ state }) => FINAL.includes(state)),
    async eventsOf(orchestrationId: string) {
      const { data } = await call().call('orchestrations.events', { orchestrationId, limit: 500 });
      return data;
    },
    /** Reports a result with the token of the running agent. */
    async reportAs(id: string, agentId: string, outcome: 'succeeded' | 'failed' = 'succeeded', summary = 'done') {
      const { sessionId, id: workerId } = await workerOf(id, agentId);
      await asWorker(app(), workerId).call('sessions.report', { sessionId, outcome, summary });
    },
  };
}

export const statesOf = ({ agents }: OrchestrationStatus) =>
  Object.fromEntries(agents.map(({ agentId, state }) => [agentId, state]));
