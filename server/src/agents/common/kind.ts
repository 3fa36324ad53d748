import { ConsoleError } from '@agent-console/shared/errors';
import type { ActivityState, Confidence } from '@agent-console/shared/models/worker';
import type {
  AgentRegistration,
  AgentSignal,
  ConversationTrace,
  AgentKind as KindPort,
  ScreenContent,
  ScreenQuestion,
} from '../../ports/agents.ts';
import type { TranscriptPage, TranscriptPosition } from '../../ports/transcripts.ts';

/** The meaning of a title, progress sequence or screen for the agent's activity. */
export interface Reading {
  state: ActivityState;
  confidence: Confidence;
}

/** The meaning of a screen, with the question it shows, if any. */
export interface ScreenReading extends Reading {
  question: ScreenQuestion | null;
}

/** A kind as the registry lists it: the port, and how the kind is read, recorded and registered. */
export interface AgentKind extends KindPort {
  /** Reads a terminal title; null if it has no meaning for activity. */
  readTitle(title: string): Reading | null;
  /** Meanings of progress sequences (OSC 9;4; states 0 to 4) that differ from the general ones. */
  readProgress: Readonly<Partial<Record<0 | 1 | 2 | 3 | 4, Reading>>>;
  /** Reads a screen; null if it has no meaning for activity. */
  readScreen(screen: ScreenContent): ScreenReading | null;
  /** Reads a line of the signals file; empty if it is not understood. */
  readSignal(line: unknown): AgentSignal[];
  /** Opens the conversations that agents of this kind record on this machine; null if they record none. */
  openConversations: ((sources: ConversationSources) => ConversationStore) | null;
  /** How `setup` registers the console with agents that people start themselves; null if that is not supported. */
  registration: AgentRegistration | null;
}

/** The part of a kind that reads titles, progress, screens and the agent's own reports. */
export type KindReading = Pick<
  AgentKind,
  'readTitle' | 'readProgress' | 'readScreen' | 'readInput' | 'readFailure' | 'readSignal' | 'showsConversation'
>;

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
  /** Returns the part behind `position`; null if nothing is recorded yet. */
  read(nativeId: string, position: TranscriptPosition): Promise<TranscriptPage | null>;
}

/** Absolute paths of agent executables that ship with the console. */
export interface Programs {
  scriptedAgent: string;
}

/** Creates the UNSUPPORTED error of a kind that cannot resume or fork a conversation. */
export function unsupportedConversation(kind: string, mode: 'resume' | 'fork'): ConsoleError {
  const hint =
    mode === 'resume'
      ? 'start a new session with all necessary context in its prompt'
      : 'use a subsession, which starts a new conversation';
  return new ConsoleError('UNSUPPORTED', `A ${kind} agent cannot ${mode} a conversation; ${hint}`, { kind, mode });
}
