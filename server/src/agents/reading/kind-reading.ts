import type { AgentKind } from '../kind.ts';

/** The half of a kind that reads: titles, progress, screens and the agent's own reports. */
export type KindReading = Pick<
  AgentKind,
  'readTitle' | 'readProgress' | 'readScreen' | 'readLine' | 'readFailure' | 'readSignal' | 'showsConversation'
>;
