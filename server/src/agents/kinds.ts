import type { AgentKindName } from '@agent-console/shared/models/agent';
import { claudeAcpKind, codexAcpKind, geminiAcpKind, opencodeAcpKind } from './acp/forms.ts';
import { customAcpKind, scriptedAcpKind } from './acp/kind.ts';
import { claudeCodeKind } from './claude-code/kind.ts';
import { codexKind } from './codex/kind.ts';
import type { AgentKind, Programs } from './common/kind.ts';
import { customKind } from './custom/kind.ts';
import { geminiKind } from './gemini/kind.ts';
import { opencodeKind } from './opencode/kind.ts';
import { scriptedKind } from './scripted/kind.ts';

/** Creates the registry of all kinds of agents: a function that returns a kind by its name. */
export function createAgentKinds(programs: Programs): (name: AgentKindName) => AgentKind {
  const kinds: Record<AgentKindName, AgentKind> = {
    'claude-code': claudeCodeKind,
    codex: codexKind,
    gemini: geminiKind,
    opencode: opencodeKind,
    scripted: scriptedKind(programs),
    'claude-acp': claudeAcpKind(programs),
    'codex-acp': codexAcpKind(programs),
    'gemini-acp': geminiAcpKind(programs),
    'opencode-acp': opencodeAcpKind(programs),
    'scripted-acp': scriptedAcpKind(programs),
    acp: customAcpKind(programs),
    custom: customKind,
  };
  return (name) => kinds[name];
}
