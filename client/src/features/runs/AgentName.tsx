import type { OrchestrationAgent } from '@agent-console/shared/models/orchestration';
import { Link } from '@tanstack/react-router';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';

/** Name of an agent, as a link to the session of its latest attempt. */
export function AgentName(props: { agent: Pick<OrchestrationAgent, 'agentId' | 'sessionId'>; className?: string }) {
  const { agent, className = '' } = props;
  const { agentId, sessionId } = agent;
  if (sessionId === null) return <UntrustedLine className={className} text={agentId} />;
  return (
    <Link
      className={`min-w-0 hover:underline ${className}`}
      params={{ sessionId }}
      title="Open the agent's session"
      to="/sessions/$sessionId"
    >
      <UntrustedLine text={agentId} />
    </Link>
  );
}
