import { ConsoleError } from '@agent-console/shared/errors';
import type { Agent } from '@agent-console/shared/models/agent';
import type { ActivityState, Confidence } from '@agent-console/shared/models/worker';

/** What a sign says about the agent. */
export interface Reading {
  state: ActivityState;
  confidence: Confidence;
}

/** Where the agent's own conversation comes from. `nativeId` is the id by which the agent itself knows it. */
export type Conversation =
  | { mode: 'new'; nativeId: string | null }
  | { mode: 'resume'; nativeId: string }
  /** A copy of `from` up to the end of its last finished turn, to be known as `nativeId`. */
  | { mode: 'fork'; nativeId: string; from: string };

interface StartRequest {
  definition: Pick<Agent, 'id' | 'command'>;
  conversation: Conversation;
  /** Folder (0700, may not exist yet) for conversations that the agent keeps where we tell it. */
  transcriptDir: string;
  /** Where the console's tools are; `tokenFile` (0600) where the worker cannot be recognised by its process. */
  mcp: { url: string; tokenFile: string | null };
}

interface StartPlan {
  file: string;
  args: string[];
  /** Variables of this kind, added to those every worker gets. */
  env: Record<string, string>;
}

/** How one kind of agent is started, resumed, prompted and read. Pure: it plans, others act. */
export interface AgentKind {
  id: Agent['kind'];
  /** Characters that command the agent when a prompt begins with one of them. */
  commandCharacters: readonly string[];
  /** A first line that makes such a prompt plain text; null where no prompt needs one. */
  safePrefix: string | null;
  /** Names of the variables it needs to log in. */
  environment: readonly string[];
  /** Who chooses the id of a conversation: we, at start (`ours`), or nobody. */
  nativeId: 'ours' | 'none';
  supportsResume: boolean;
  supportsFork: boolean;
  /** Whether input is typed between the marks of a bracketed paste; else as it is. */
  bracketedPaste: boolean;
  /** Rejects nothing silently: UNSUPPORTED for a conversation mode it lacks, VALIDATION for an id it cannot take. */
  start(request: StartRequest): StartPlan;
  /** What a terminal title says; null when it says nothing about activity. */
  readTitle(title: string): Reading | null;
  /** What a progress sequence (OSC 9;4) says where it differs from the general meaning, by its state 0 to 4. */
  readProgress: Readonly<Partial<Record<0 | 1 | 2 | 3 | 4, Reading>>>;
}

/** The programs that belong to the product, as absolute paths. */
export interface Programs {
  scriptedAgent: string;
}

/** The refusal of a kind that cannot continue or copy a conversation. */
export function unsupportedConversation(kind: string, mode: 'resume' | 'fork'): ConsoleError {
  const hint =
    mode === 'resume'
      ? 'start a new session and tell it what it needs to know'
      : 'use a subsession, which starts fresh';
  return new ConsoleError('UNSUPPORTED', `A ${kind} agent cannot ${mode} a conversation; ${hint}`, { kind, mode });
}
