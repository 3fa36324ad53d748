import { fieldError } from '@agent-console/shared/errors';
import type { AgentCatalogue } from '../agents/catalogue.ts';

type Needs = Pick<AgentCatalogue, 'find' | 'choose'>;

/**
 * Refuses to continue a session with another agent.
 * @throws VALIDATION if `agentId` names an agent other than `own`, the agent of the session
 */
export async function refuseOtherAgent(catalogue: Needs, agentId: string, own: string): Promise<void> {
  const named = (await catalogue.find(agentId)) ?? (await catalogue.choose(agentId));
  if (named.id === own) return;
  throw fieldError(
    'agentId',
    `a session cannot change its agent (${own}); create a subsession to use ${agentId} (mode "subsession")`,
    { agentId: own },
  );
}
