import type { ScreenView } from '../ports/screens.ts';
import type { TerminalState } from './terminal.ts';

/** What the server tells the thread. Messages of one screen are done in order. */
export type ToThread =
  | {
      do: 'open';
      screen: number;
      cols: number;
      rows: number;
      offset: number;
      state?: TerminalState;
      answersFrom: number;
    }
  | { do: 'write'; screen: number; data: Uint8Array }
  | { do: 'resize'; screen: number; cols: number; rows: number }
  | { do: 'skip'; screen: number; offset: number; until: number }
  | { do: 'close'; screen: number }
  | { do: 'ask'; request: number; question: Question };

/** A question and the type of its answer. */
export type Question =
  | { about: 'view'; screen: number; scrollback: number; format: 'text' | 'ansi' }
  | { about: 'snapshot'; screen: number; history: number }
  | { about: 'state'; screen: number }
  | { about: 'lines'; lead: Uint8Array; data: Uint8Array; cols: number; rows: number; ended: boolean };

export interface Reply {
  view: ScreenView;
  snapshot: { offset: number; cols: number; rows: number; data: string };
  state: TerminalState | undefined;
  lines: string;
}

/** What the thread tells the server. */
export type FromThread =
  | { tell: 'wrote'; screen: number; bytes: number }
  | { tell: 'answer'; screen: number; offset: number; nth: number; data: string }
  /** The terminal failed at output that ends at `offset`, and goes on behind it. */
  | { tell: 'fault'; screen: number; offset: number; message: string }
  | { tell: 'reply'; request: number; value: Reply[keyof Reply] }
  | { tell: 'failed'; request: number; message: string };
