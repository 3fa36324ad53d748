import type { OrchestrationAgent } from '@agent-console/shared/models/orchestration';
import { openDialog } from '../../shell/dialogs.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Menu } from '../../ui/Menu.tsx';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { retryAgent } from './run-actions.ts';
import { canRetry } from './states.ts';

export function AgentMenu(props: { runId: string; agent: OrchestrationAgent; className?: string }) {
  const { runId, agent, className = 'h-7 w-8 max-md:size-10' } = props;
  const { agentId, sessionId, state } = agent;
  const openSession = useOpenSession();
  return (
    <Menu
      groups={[
        [
          { label: 'Details', run: () => openDialog({ kind: 'agentOfRun', runId, agentId }) },
          {
            label: 'Open session',
            disabled: sessionId === null,
            run: () => sessionId !== null && openSession(sessionId),
          },
          {
            label: 'Open diff',
            disabled: agent.worktreeId === null,
            run: () => sessionId !== null && openSession(sessionId, { view: 'diff' }),
          },
        ],
        [{ label: 'Retry', disabled: !canRetry(state), run: () => retryAgent(runId, agentId) }],
      ]}
      trigger={
        <button
          aria-label={`Actions for ${isolateText(agentId)}`}
          className={`grid shrink-0 place-items-center rounded-md text-quiet hover:bg-hover hover:text-text data-popup-open:bg-selected ${className}`}
          type="button"
        >
          ⋯
        </button>
      }
    />
  );
}
