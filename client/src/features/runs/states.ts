import type {
  Orchestration,
  OrchestrationAgentState,
  OrchestrationState,
} from '@agent-console/shared/models/orchestration';

export type AnyState = OrchestrationState | OrchestrationAgentState;

const WORDS: Record<AnyState, string> = {
  created: 'not started',
  pending: 'waiting',
  running: 'running',
  paused: 'paused',
  interrupted: 'interrupted',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
};

export function stateWord(state: AnyState): string {
  return WORDS[state];
}

/** Colour classes of a state, for text and for the edge of a node. */
export const STATE_TONES: Record<AnyState, { text: string; border: string }> = {
  created: { text: 'text-quiet', border: 'border-line-strong' },
  pending: { text: 'text-quiet', border: 'border-line-strong' },
  running: { text: 'text-accent', border: 'border-accent' },
  paused: { text: 'text-needs', border: 'border-needs' },
  interrupted: { text: 'text-needs', border: 'border-needs' },
  completed: { text: 'text-added', border: 'border-added' },
  failed: { text: 'text-failed', border: 'border-failed' },
  cancelled: { text: 'text-quiet', border: 'border-line-strong' },
  skipped: { text: 'text-quiet', border: 'border-line-strong' },
};

/** Whether an agent in this state can be retried. The console refuses a retry in all other states. */
export function canRetry(state: OrchestrationAgentState): boolean {
  return state === 'failed' || state === 'cancelled' || state === 'interrupted';
}

const PAUSERS: Record<NonNullable<Orchestration['pausedBy']>, string> = {
  person: 'Paused by a person. Running agents finish unless they were interrupted. No further agents start.',
  session:
    'Paused by the session that created the run. Running agents finish unless they were interrupted. No further agents start.',
  budget: 'Paused because a budget limit was reached. Resume the run to raise the limit and continue.',
};

/** Returns a text that says why a run is paused; undefined if it is not paused. */
export function describePause({ state, pausedBy }: Pick<Orchestration, 'state' | 'pausedBy'>): string | undefined {
  if (state !== 'paused') return undefined;
  return pausedBy === null ? 'Paused. No further agents start.' : PAUSERS[pausedBy];
}

const REASONS: Readonly<Record<string, string>> = {
  upstream_failed: 'This agent depends on an agent that failed',
  upstream_cancelled: 'This agent depends on an agent that was cancelled',
  fail_fast: 'Another agent of the run failed',
  orchestration_cancelled: 'The run was cancelled',
  reported: 'The agent reported that it failed',
  exited: "The agent's process ended with an error",
  error: "The agent's task failed",
  unreported: 'The agent ended without reporting a result',
  timeout: 'The agent exceeded its time limit',
  server_restart: "The agent's process was lost when the console restarted",
  not_started: 'The agent could not be started',
  no_resume: 'The agent starts with a new conversation, because the previous one cannot be resumed',
  session_paused: "The agent's session was paused",
  paused: 'The agent was interrupted when the run was paused',
  budget: 'A budget limit was reached',
  quota: 'The usage limit of the subscription was reached',
};

/**
 * Returns a sentence for the reason of an agent's state. A reason that is not in REASONS is already a sentence, so only
 * its first letter is capitalised.
 */
export function describeReason(reason: string): string {
  return REASONS[reason] ?? `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
}
