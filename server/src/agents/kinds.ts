import type { Agent } from '@agent-console/shared/models/agent';
import { customKind } from './custom.ts';
import type { AgentKind, Programs } from './kind.ts';
import { scriptedKind } from './scripted.ts';

/** All kinds by name. */
export function createAgentKinds(programs: Programs): (name: Agent['kind']) => AgentKind {
  const kinds: Record<Agent['kind'], AgentKind> = { scripted: scriptedKind(programs), custom: customKind };
  return (name) => kinds[name];
}
