import { ConsoleError } from '@agent-console/shared/errors';
import type { ActivityState, Confidence } from '@agent-console/shared/models/worker';
import type { AgentSignal, ScreenContent, ShownQuestion, AgentKind as StartedKind } from '../ports/agents.ts';

/** What a sign says about the agent. */
export interface Reading {
  state: ActivityState;
  confidence: Confidence;
}

/** A look at the screen: what it says, and what is asked where something is. */
export interface ScreenReading extends Reading {
  question: ShownQuestion | null;
}

/** A kind that is also read: by its titles, progress, screens and its own reports. */
export interface AgentKind extends StartedKind {
  /** What a terminal title says; null when it says nothing about activity. */
  readTitle(title: string): Reading | null;
  /** What a progress sequence (OSC 9;4) says where it differs from the general meaning, by its state 0 to 4. */
  readProgress: Readonly<Partial<Record<0 | 1 | 2 | 3 | 4, Reading>>>;
  /** What the screen says; null when it says nothing about activity. */
  readScreen(picture: ScreenContent): ScreenReading | null;
  /** What a line of the signals file says; nothing for lines that are not understood. */
  readSignal(line: unknown): AgentSignal[];
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
