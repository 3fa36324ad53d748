import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentCatalogue } from '../agents/catalogue.ts';

type Needs = Pick<AgentCatalogue, 'find' | 'choose'>;

/**
 * Refuses to go on with a session by another agent than its own.
 * @throws VALIDATION, also for an agent that is not defined, as `choose` does.
 */
export async function refuseOtherAgent(catalogue: Needs, agentId: string, own: string): Promise<void> {
  const named = (await catalogue.find(agentId)) ?? (await catalogue.choose(agentId));
  if (named.id === own) return;
  throw new ConsoleError(
    'VALIDATION',
    `agentId: a session keeps its agent (${own}); begin a subsession to give work to ${agentId} (mode "subsession")`,
    { field: 'agentId', agentId: own },
  );
}
