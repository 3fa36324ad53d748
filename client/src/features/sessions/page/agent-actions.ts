import type { Session } from '@agent-console/shared/models/session';
import type { OfferedActions } from './offered-actions.ts';
import { pause, resume, startAgent } from './session-actions.ts';

interface AgentAction {
  label: string;
  run(session: Session): void;
}

/** What a person can do with the agent of a session, under the same name wherever it is offered. */
export const AGENT_ACTIONS: Readonly<Record<NonNullable<OfferedActions['agent']>, AgentAction>> = {
  pause: { label: 'Pause', run: pause },
  resume: { label: 'Resume', run: resume },
  start: { label: 'Start the agent', run: startAgent },
};
