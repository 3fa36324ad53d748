import { ConsoleError } from '@agent-console/shared/errors';
import type { AgentRegistration, ConversationTrace, AgentKind as KindPort, WatchedKind } from '../../ports/agents.ts';
import type { TranscriptPage, TranscriptPosition } from '../../ports/transcripts.ts';

/**
 * A kind of agent in the registry: the members that the port requires, how its activity is read, where it records
 * conversations, and how `setup` registers the console with it.
 */
export interface AgentKind extends KindPort, Required<WatchedKind> {
  /** Opens the conversations that agents of this kind record on this machine; null if they record none. */
  openConversations: ((sources: ConversationSources) => ConversationStore) | null;
  /**
   * Data with which `setup` registers the console with agents that people start themselves; null if `setup` does not
   * support this kind.
   */
  registration: AgentRegistration | null;
}

/** Default members of a kind. Each kind overrides the members that differ. */
export const KIND_DEFAULTS = {
  program: null,
  npmPackage: null,
  driver: 'pty',
  protocolModes: {},
  builtIn: true,
  commandCharacters: [],
  safePrefix: null,
  trailingSpace: false,
  environment: [],
  switchesConversation: false,
  conversationId: (sessionId) => sessionId,
  supportsResume: true,
  supportsFork: true,
  readsImages: false,
  bracketedPaste: true,
  defaultMode: 'acceptEdits',
  permission: (requested) => ({ mode: requested, note: null }),
  readsHelp: false,
  reports: 'never',
  recordsTurnEnds: false,
  mcpTransports: ['stdio', 'http', 'sse'],
  trustFolder: () => ({ args: [], env: {} }),
  note: null,
  userFiles: [],
  namedVariables: () => [],
  loginCommand: null,
  login: null,
  keys: { interrupt: '\x03', clearLine: '\x15' },
  oneShot: null,
  registration: null,
} as const satisfies Partial<AgentKind>;

/** The members of a kind that read titles, progress, screens and the agent's own reports. */
export type KindReading = Required<WatchedKind> & Pick<AgentKind, 'readInput' | 'readFailure' | 'showsConversation'>;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConversationSources {
  /** Variables that determine where each kind stores its conversations. */
  environment: Environment;
  /** Folder for conversations of kinds whose storage location the console chooses. */
  transcriptsDir: string;
  now: () => Date;
}

/** The recorded conversations of one kind. Files and rows that cannot be read count as absent. */
export interface ConversationStore {
  /** Whether the agent would resume this conversation; true if this cannot be determined without trying. */
  exists(nativeId: string): Promise<boolean>;
  /** Returns the ids of the conversations that match the trace, including those of other sessions. */
  find(trace: ConversationTrace): Promise<string[]>;
  /** Returns the part of the conversation after `position`; null if nothing is recorded yet. */
  read(nativeId: string, position: TranscriptPosition): Promise<TranscriptPage | null>;
}

/** Absolute paths of programs that are part of the console. */
export interface Programs {
  scriptedAgent: string;
  cli: string;
}

/** Creates the UNSUPPORTED error of a kind that cannot resume or fork a conversation. */
export function unsupportedConversation(kind: string, mode: 'resume' | 'fork'): ConsoleError {
  const hint =
    mode === 'resume'
      ? 'start a new session instead, with all necessary context in its prompt'
      : 'use a subsession, which starts a new conversation';
  return new ConsoleError('UNSUPPORTED', `A ${kind} agent cannot ${mode} a conversation; ${hint}`, { kind, mode });
}
