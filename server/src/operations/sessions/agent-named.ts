import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentCatalogue, ChosenAgent } from '../agents/catalogue.ts';

type Needs = Pick<AgentCatalogue, 'find' | 'all' | 'choose'>;

async function refuseUnknown(catalogue: Needs, agentId: string): Promise<string> {
  const definition = await catalogue.find(agentId);
  if (definition !== undefined) return definition.id;
  const known = (await catalogue.all()).map(({ id }) => id);
  throw new ConsoleError('VALIDATION', `agentId: no agent "${agentId}" is defined; defined are ${known.join(', ')}`, {
    field: 'agentId',
    agents: known,
  });
}

/** The agent of a session that begins with another one: the named one, else the other's. */
export async function agentNamed(
  catalogue: Needs,
  agentId: string | undefined,
  inherited: string,
): Promise<ChosenAgent> {
  if (agentId !== undefined) await refuseUnknown(catalogue, agentId);
  return catalogue.choose(agentId, inherited);
}

/** Refuses to go on with a session by another agent than its own. */
export async function refuseOtherAgent(catalogue: Needs, agentId: string, own: string): Promise<void> {
  if ((await refuseUnknown(catalogue, agentId)) === own) return;
  throw new ConsoleError(
    'VALIDATION',
    `agentId: a session keeps its agent (${own}); begin a subsession to give work to ${agentId} (mode "subsession")`,
    { field: 'agentId', agentId: own },
  );
}
