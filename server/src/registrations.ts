import { AgentKindName } from '@agent-console/shared/models/agent';
import { createAgentKinds } from './agents/kinds.ts';
import type { AgentRegistration } from './ports/agents.ts';

/** A kind of agent in whose configuration `setup` can register the console. */
export interface RegistrableAgent extends AgentRegistration {
  kind: AgentKindName;
  /** Name of the executable that is found on PATH if the agent is installed. */
  program: string;
}

export function registrableAgents(): RegistrableAgent[] {
  const kinds = createAgentKinds({ scriptedAgent: '', cli: '' });
  return AgentKindName.options.flatMap((kind) => {
    const { program, registration } = kinds(kind);
    return program === null || registration === null ? [] : [{ ...registration, kind, program }];
  });
}
