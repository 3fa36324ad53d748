import type { SocketState } from '../api/reconnecting-socket.ts';
import type { Size } from './connection.ts';

/** An action that needs confirmation by the user. */
export type Question = { kind: 'link'; address: string } | { kind: 'paste'; text: string; lines: number };

export interface TerminalState {
  connection: SocketState;
  ended: { exitCode: number | null; signal: string | null } | undefined;
  /** Whether this window sets the terminal's size. */
  driving: boolean;
  /** Size of the terminal; undefined until the console reports it. */
  size: Size | undefined;
  /** Number of typed characters that the console has not yet accepted. */
  buffered: number;
  /** Whether input was dropped because the buffer is full. */
  isBufferFull: boolean;
  typing: boolean;
  problem: string | undefined;
  question: Question | undefined;
  /** Whether the terminal is scrolled to the top and earlier output is available. */
  atStart: boolean;
  below: number;
}

/** State before the console has sent the first frame. */
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
