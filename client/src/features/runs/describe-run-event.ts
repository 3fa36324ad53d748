import type { OrchestrationEvent, OrchestrationEventType } from '@agent-console/shared/models/orchestration';
import { isolateText } from '../../ui/hidden-characters.ts';
import { pluralize } from '../../ui/pluralize.ts';
import { describeUse, isBudgetLimit } from './budget-limits.ts';
import { describeReason } from './states.ts';

type Data = OrchestrationEvent['data'];

/** What happened to the branch of an agent, by the state of the integration. */
const AGENT_INTEGRATION: Readonly<Record<string, string>> = {
  running: 'integrated',
  integrated: 'integrated',
  conflicts: 'not integrated',
  failed: 'could not be integrated',
};
/** What happened to the integration, by its state. */
const INTEGRATION: Readonly<Record<string, string>> = {
  running: 'Integration started',
  integrated: 'Integration completed',
  conflicts: 'Integration not completed',
  failed: 'Integration failed',
};

const SENTENCES: Record<OrchestrationEventType, (data: Data, agentId: string | null) => string> = {
  session_created: () => 'Run created',
  session_started: () => 'Run started',
  session_paused: ({ pausedBy, interrupt }) =>
    `Run paused${pausedBy === 'budget' ? ', because a budget limit was reached' : ''}${interrupt === true ? ', and its running agents were interrupted' : ''}`,
  session_resumed: () => 'Run resumed',
  session_cancelled: () => 'Run cancelled',
  session_completed: () => 'Run completed',
  session_failed: ({ errorMessage }) => `Run failed${after(errorMessage)}`,
  session_archived: () => 'Run archived',
  session_unarchived: () => 'Run unarchived',
  agent_added: () => 'added to the run',
  agent_started: ({ attempt }) =>
    typeof attempt === 'number' && attempt > 1 ? `started, attempt ${attempt}` : 'started',
  agent_completed: () => 'completed',
  agent_failed: ({ errorMessage, reason }) => `failed${after(errorMessage) || because(reason)}`,
  agent_skipped: ({ reason }) => `skipped${because(reason)}`,
  agent_paused: () => 'paused',
  agent_resumed: () => 'resumed',
  agent_interrupted: ({ reason }) => `interrupted${because(reason)}`,
  agent_cancelled: ({ reason }) => `cancelled${because(reason)}`,
  agent_retried: ({ reason }) => `runs again${because(reason)}`,
  // Without a reason, the agent has nothing more to wait for.
  agent_waiting: ({ reason }) => (reason === null ? 'is no longer waiting' : `waits${because(reason)}`),
  progress: ({ progress, status }) =>
    `${typeof progress === 'number' ? `${Math.round(progress * 100)} % complete` : 'reported progress'}${after(status)}`,
  message: ({ to }) => `sent a message to ${isolateText(text(to) || 'another agent')}`,
  artifact: ({ artifacts }) =>
    `reported ${Array.isArray(artifacts) ? `results: ${isolateText(artifacts.join(', '))}` : 'a result'}`,
  integration: ({ state, conflicts }, agentId) => {
    const result = (agentId === null ? INTEGRATION : AGENT_INTEGRATION)[text(state)] ?? 'Integration changed';
    return typeof conflicts === 'number' && conflicts > 0
      ? `${result}: ${pluralize(conflicts, 'file')} in conflict`
      : result;
  },
  budget: ({ limit, used, allowed }) =>
    isBudgetLimit(limit) && typeof used === 'number' && typeof allowed === 'number'
      ? `Budget: ${describeUse(limit, used, allowed)} used`
      : 'Budget partly used',
  recovery: ({ interrupted }) =>
    `Run continued after a restart of the console${Array.isArray(interrupted) && interrupted.length > 0 ? `; interrupted agents: ${isolateText(interrupted.join(', '))}` : ''}`,
  cleanup: ({ error }) => (error === undefined ? 'Run removed' : 'Run could not be removed completely'),
};

/** Returns a text about an event, without the name of the agent concerned. */
export function describeRunEvent(event: Pick<OrchestrationEvent, 'eventType' | 'agentId' | 'data'>): string {
  return SENTENCES[event.eventType](event.data, event.agentId);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function after(value: unknown): string {
  return text(value) === '' ? '' : `: ${isolateText(text(value))}`;
}

function because(reason: unknown): string {
  const sentence = text(reason) === '' ? '' : describeReason(text(reason));
  return sentence === '' ? '' : `: ${isolateText(sentence.charAt(0).toLowerCase() + sentence.slice(1))}`;
}
