import type { Size } from './connection.ts';

type Connection =
  | { kind: 'connecting' }
  | { kind: 'open' }
  | { kind: 'waiting'; retryAt: number }
  | { kind: 'refused'; reason: string };

/** Something to be answered by a person before it is done. */
export type Question = { kind: 'link'; address: string } | { kind: 'paste'; text: string; lines: number };

export interface TerminalState {
  connection: Connection;
  /** How the process ended, once it has. */
  ended: { exitCode: number | null; signal: string | null } | undefined;
  /** Whether this window sets the size. */
  driving: boolean;
  /** Undefined until the console told it. */
  size: Size | undefined;
  /** Characters that are typed and not accepted, while there is no connection. */
  kept: number;
  /** What is typed is not taken: more is kept than the page holds. */
  full: boolean;
  typing: boolean;
  problem: string | undefined;
  question: Question | undefined;
  /** Scrolled to the very top, and more was printed than is there. */
  atStart: boolean;
  /** Lines below the ones that are seen. */
  below: number;
}

/** Before anything was heard of it. */
export const INITIAL_STATE: TerminalState = {
  connection: { kind: 'connecting' },
  ended: undefined,
  driving: false,
  size: undefined,
  kept: 0,
  full: false,
  typing: true,
  problem: undefined,
  question: undefined,
  atStart: false,
  below: 0,
};
