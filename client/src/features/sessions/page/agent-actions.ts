import type { Session } from '@agent-console/shared/models/session';
import type { OfferedActions } from './offered-actions.ts';
import { pause, resume, startAgent } from './session-actions.ts';

interface AgentAction {
  label: string;
  run(session: Session): void;
}

/** Actions on the agent of a session. Each action has the same label everywhere in the dashboard. */
export const AGENT_ACTIONS: Readonly<Record<NonNullable<OfferedActions['agent']>, AgentAction>> = {
  pause: { label: 'Pause', run: pause },
  resume: { label: 'Resume', run: resume },
  start: { label: 'Start the agent', run: startAgent },
};
