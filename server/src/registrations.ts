import { AgentKindName } from '@agent-console/shared/models/agent';
import { createAgentKinds } from './agents/kinds.ts';
import type { AgentRegistration } from './ports/agents.ts';

/** A kind of agent that `setup` can register the console with. */
export interface RegistrableAgent extends AgentRegistration {
  kind: AgentKindName;
  /** Executable that is on PATH if the agent is installed. */
  program: string;
}

export function registrableAgents(): RegistrableAgent[] {
  const kinds = createAgentKinds({ scriptedAgent: '', cli: '' });
  return AgentKindName.options.flatMap((kind) => {
    const { program, registration } = kinds(kind);
    return program === null || registration === null ? [] : [{ ...registration, kind, program }];
  });
}
