import { printable } from './printable.ts';

type Mark = 'working' | 'asking' | 'idle';

const PROGRESS: Record<Mark, string> = { working: '3', asking: '4', idle: '0' };
const PASTE_MARKS_ON = '\x1b[?2004h';
const PASTE_MARKS_OFF = '\x1b[?2004l';

/** The part of a terminal's stream that is used. */
export interface TerminalDevice {
  setRawMode(raw: boolean): unknown;
  /** `done` is called when the text has left. */
  write(text: string, done?: () => void): unknown;
}

export interface Terminal {
  /** Writes as it is. */
  write(text: string): void;
  /** Writes text of unknown origin as whole lines, without the controls in it. */
  print(text: string): void;
  /** Says by progress sequence and title what the agent does. Answered as text, so that it can go out in one write. */
  mark(mark: Mark): string;
  /** Resolves when what was written has left for the terminal. */
  drained(signal: AbortSignal): Promise<void>;
  /** Gives the terminal back as it was. */
  restore(): void;
}

/**
 * Takes over the terminal behind stdin: raw keys, marked pastes. It is written through stdin's own stream, because
 * Node writes to a terminal's stdout synchronously: a reader that stops reading would also stop the keys and signals.
 */
export function openTerminal(tty: TerminalDevice): Terminal {
  tty.setRawMode(true);
  tty.write(PASTE_MARKS_ON);
  return {
    write: (text) => void tty.write(text),
    print: (text) => void tty.write(`${printable(text).replace(/\n$/, '')}\n`),
    mark: (mark) => `\x1b]9;4;${PROGRESS[mark]};\x07\x1b]0;scripted: ${mark}\x07`,
    drained: (signal) =>
      new Promise((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done);
          resolve();
        };
        if (signal.aborted) return resolve();
        signal.addEventListener('abort', done);
        tty.write('', done);
      }),
    restore() {
      try {
        tty.write(PASTE_MARKS_OFF);
        tty.setRawMode(false);
      } catch {
        // The terminal is gone; there is nothing to give back.
      }
    },
  };
}
