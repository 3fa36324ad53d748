import type { ScreenView } from '../ports/screens.ts';
import type { TerminalState } from './checkpoint.ts';

/** Messages to the screen thread, which processes the messages of each screen in order. */
export type ToThread =
  | {
      type: 'open';
      screen: number;
      cols: number;
      rows: number;
      offset: number;
      state?: TerminalState;
      answersFrom: number;
    }
  | { type: 'write'; screen: number; data: Uint8Array }
  | { type: 'resize'; screen: number; cols: number; rows: number }
  | { type: 'skip'; screen: number; offset: number; until: number }
  | { type: 'close'; screen: number }
  | { type: 'ask'; request: number; question: Question };

/** A request that expects an answer. `Reply` maps each value of `about` to the type of the answer. */
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

export type FromThread =
  | { type: 'wrote'; screen: number; bytes: number }
  | { type: 'answer'; screen: number; offset: number; nth: number; data: string }
  /** The terminal failed on output that ends at `offset`, and continues after it. */
  | { type: 'fault'; screen: number; offset: number; message: string }
  | { type: 'reply'; request: number; value: Reply[keyof Reply] }
  | { type: 'failed'; request: number; message: string };
