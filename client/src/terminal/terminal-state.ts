import type { Size } from './connection.ts';

type Connection =
  | { kind: 'connecting' }
  | { kind: 'open' }
  | { kind: 'waiting'; retryAt: number }
  | { kind: 'refused'; reason: string };

/** Needs confirmation by a person. */
export type Question = { kind: 'link'; address: string } | { kind: 'paste'; text: string; lines: number };

export interface TerminalState {
  connection: Connection;
  /** Exit of the process. */
  ended: { exitCode: number | null; signal: string | null } | undefined;
  /** Whether this window sets the size. */
  driving: boolean;
  /** Undefined until the console reports it. */
  size: Size | undefined;
  /** Characters buffered while disconnected. */
  buffered: number;
  /** Input was dropped because the buffer is full. */
  isBufferFull: boolean;
  typing: boolean;
  problem: string | undefined;
  question: Question | undefined;
  /** Scrolled to the top, with earlier output available. */
  atStart: boolean;
  /** Lines below the visible ones. */
  below: number;
}

/** State before the first frame. */
export const INITIAL_STATE: TerminalState = {
  connection: { kind: 'connecting' },
  ended: undefined,
  driving: false,
  size: undefined,
  buffered: 0,
  isBufferFull: false,
  typing: true,
  problem: undefined,
  question: undefined,
  atStart: false,
  below: 0,
};
