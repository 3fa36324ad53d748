import { printable } from './printable.ts';

type Mark = 'working' | 'asking' | 'idle';

const PROGRESS: Record<Mark, string> = { working: '3', asking: '4', idle: '0' };
const PASTE_MARKS_ON = '\x1b[?2004h';
const PASTE_MARKS_OFF = '\x1b[?2004l';

/** The parts of a terminal's stream that the agent uses. */
export interface TerminalDevice {
  setRawMode(raw: boolean): unknown;
  /** Writes text. `done` is called when the text was sent. */
  write(text: string, done?: () => void): unknown;
}

export interface Terminal {
  /** Writes the text with its control characters. */
  write(text: string): void;
  /** Writes text of unknown origin as whole lines, without control characters. */
  print(text: string): void;
  /** Returns the escape sequences that report the agent's state in the terminal's progress display and title. */
  mark(mark: Mark): string;
  /** Resolves when everything written was sent to the terminal, or when the signal aborts. */
  drained(signal: AbortSignal): Promise<void>;
  /** Restores the terminal's modes. */
  restore(): void;
}

/**
 * Takes control of the terminal. Output is written through stdin's stream, because Node writes to a terminal's stdout
 * synchronously: if the reader stopped reading, keys and Unix signals would be blocked too.
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
        // The error is ignored: the terminal is gone, so there is nothing to restore.
      }
    },
  };
}
