import type { OrchestrationEvent, OrchestrationEventType } from '@agent-console/shared/models/orchestration';
import { pluralize } from '@agent-console/shared/pluralize';
import { firstLine } from '../../ui/first-line.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { describeUse, isBudgetLimit } from './budget-limits.ts';
import { describeReason } from './states.ts';

type Data = Readonly<Record<string, unknown>>;

/** Types of events that are always about one agent. */
type AgentEventType = Extract<OrchestrationEventType, `agent_${string}`> | 'progress' | 'message' | 'artifact';

/** What happened to an agent or what it did, by the type of the event. The text follows the agent's name. */
const OF_AGENT: Record<AgentEventType, (data: Data) => string> = {
  agent_added: () => 'added',
  agent_started: ({ attempt }) =>
    typeof attempt === 'number' && attempt > 1 ? `started, attempt ${attempt}` : 'started',
  agent_completed: () => 'completed',
  agent_failed: ({ errorMessage, reason }) => `failed${after(errorMessage) || because(reason)}`,
  agent_skipped: ({ reason }) => `skipped${because(reason)}`,
  agent_paused: ({ reason }) => `paused${because(reason)}`,
  agent_resumed: () => 'resumed',
  agent_interrupted: ({ reason }) => `interrupted${because(reason)}`,
  agent_cancelled: ({ reason }) => `cancelled${because(reason)}`,
  agent_retried: ({ errorMessage, reason }) => `runs again${after(errorMessage) || because(reason)}`,
  // Without a reason, the agent has nothing more to wait for.
  agent_waiting: ({ reason }) => (reason === null ? 'is no longer waiting' : `waits${because(reason)}`),
  progress: ({ progress, status }) =>
    `${typeof progress === 'number' ? `is ${Math.round(progress * 100)} % complete` : 'reported progress'}${after(status)}`,
  message: ({ to }) => `sent a message to ${isolateText(text(to) || 'another agent')}`,
  artifact: ({ artifacts }) => {
    const names = Array.isArray(artifacts) ? artifacts : [];
    return `reported ${names.length > 1 ? 'results' : 'a result'}${after(names.join(', '))}`;
  },
};

/** What happened to the branch of an agent, by the state of the integration. */
const INTEGRATION_OF_AGENT: Readonly<Record<string, string>> = {
  running: 'integrated',
  integrated: 'integrated',
  conflicts: 'not integrated',
  failed: 'could not be integrated',
};
/** What happened to the integration of a run, by its state. */
const INTEGRATION_OF_RUN: Readonly<Record<string, string>> = {
  running: 'started',
  integrated: 'completed',
  conflicts: 'not completed',
  failed: 'failed',
};

/**
 * What happened to a run, by the type of the event.
 * @param ofRun ` of a run`, or empty on the page of the run
 */
const OF_RUN: Record<Exclude<OrchestrationEventType, AgentEventType>, (data: Data, ofRun: string) => string> = {
  // The page of a run shows its objective.
  session_created: ({ objective }, ofRun) => `Run created${ofRun === '' ? '' : after(firstLine(text(objective)))}`,
  session_started: () => 'Run started',
  session_paused: ({ pausedBy, interrupt }) =>
    `Run paused${pausedBy === 'budget' ? ', because a budget limit was reached' : ''}${interrupt === true ? ', and its running agents were interrupted' : ''}`,
  session_resumed: () => 'Run resumed',
  session_cancelled: () => 'Run cancelled',
  session_completed: () => 'Run completed',
  session_failed: ({ errorMessage }) => `Run failed${after(text(errorMessage).replace(/^Failed: /, ''))}`,
  session_archived: () => 'Run archived',
  session_unarchived: () => 'Run unarchived',
  integration: ({ state, conflicts }, ofRun) =>
    `Integration${ofRun} ${INTEGRATION_OF_RUN[text(state)] ?? 'changed'}${inConflict(conflicts)}`,
  budget: ({ limit, used, allowed, exhausted }, ofRun) =>
    isBudgetLimit(limit) && typeof used === 'number' && typeof allowed === 'number'
      ? `Budget${ofRun}: ${describeUse(limit, used, allowed)} used`
      : `Budget${ofRun} ${exhausted === true ? 'used up' : 'partly used'}`,
  recovery: ({ interrupted }) =>
    `Run continued after a restart of the console${Array.isArray(interrupted) && interrupted.length > 0 ? `; interrupted agents: ${isolateText(interrupted.join(', '))}` : ''}`,
  cleanup: ({ error }) =>
    error === undefined
      ? 'Run removed'
      : `Run could not be removed completely${after((error as Data | null)?.message)}`,
};

/**
 * Returns a text about an event of a run.
 * @param options.namesRun whether the text says that it is about a run, and names the agent concerned. Not needed on the
 * page of the run, which shows the agent's name before the text.
 */
export function describeRunEvent(
  { eventType, agentId, data }: Pick<OrchestrationEvent, 'eventType' | 'agentId' | 'data'>,
  { namesRun = false } = {},
): string {
  const name = agentId === null ? '' : ` “${isolateText(agentId)}”`;
  if (isAboutAgent(eventType)) return `${namesRun ? `Agent${name} of a run ` : ''}${OF_AGENT[eventType](data)}`;
  const result = INTEGRATION_OF_AGENT[text(data.state)];
  if (eventType === 'integration' && agentId !== null && result !== undefined) {
    return `${namesRun ? `Work of agent${name} of a run ` : ''}${result}${inConflict(data.conflicts)}`;
  }
  return OF_RUN[eventType](data, namesRun ? ' of a run' : '');
}

function isAboutAgent(eventType: OrchestrationEventType): eventType is AgentEventType {
  return Object.hasOwn(OF_AGENT, eventType);
}

function inConflict(conflicts: unknown): string {
  return typeof conflicts === 'number' && conflicts > 0 ? `: ${pluralize(conflicts, 'file')} in conflict` : '';
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
