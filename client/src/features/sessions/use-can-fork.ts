import type { Session } from '@agent-console/shared/models/session';
import { useAgents } from '../settings/AgentField.tsx';

/**
 * Returns a function that says whether a person can fork a session: it is not archived, and its agent can copy a
 * conversation. Until the agents are loaded, every agent counts as able to, because most are.
 */
export function useCanFork(): (session: Pick<Session, 'agentId' | 'archivedAt'>) => boolean {
  const { data } = useAgents();
  return ({ agentId, archivedAt }) => {
    const agent = data?.data.find(({ id }) => id === agentId);
    return archivedAt === null && agent?.supports.fork !== false;
  };
}
