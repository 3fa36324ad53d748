import type { Agent } from '@agent-console/shared/models/agent';
import { claudeCodeKind } from './claude-code.ts';
import { codexKind } from './codex.ts';
import { customKind } from './custom.ts';
import { geminiKind } from './gemini.ts';
import type { AgentKind, Programs } from './kind.ts';
import { opencodeKind } from './opencode.ts';
import { scriptedKind } from './scripted.ts';

/** All kinds by name. */
export function createAgentKinds(programs: Programs): (name: Agent['kind']) => AgentKind {
  const kinds: Record<Agent['kind'], AgentKind> = {
    'claude-code': claudeCodeKind,
    codex: codexKind,
    gemini: geminiKind,
    opencode: opencodeKind,
    scripted: scriptedKind(programs),
    custom: customKind,
  };
  return (name) => kinds[name];
}
