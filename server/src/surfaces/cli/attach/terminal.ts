import { StringDecoder } from 'node:string_decoder';

/** Sequences that reset the modes that a program may have set: screen, mouse, paste, focus, cursor, keys, colours. */
const RESET =
  '\u001b[?1049l\u001b[?1000;1002;1003;1004;1005;1006;2004;2026l\u001b[?25h\u001b[?7h\u001b[?1l\u001b>\u001b[0 q\u001b[r\u001b[0m';
const ENTER = '\u001b[?1049h\u001b[22;2t';
const LEAVE_TITLE = '\u001b[23;2t';

export interface UserTerminal {
  size(): { cols: number; rows: number };
  write(data: Buffer | string): void;
  /** Restores the original state of the terminal. May be called several times. */
  restore(): void;
}

/**
 * Prepares a person's terminal for another program: sets raw mode, the alternate screen and a title. `restore` undoes
 * this. It is also called when the process exits, but not after SIGKILL.
 */
export function takeTerminal(
  title: string,
  { onTyped, onResized, onSignal }: { onTyped(text: string): void; onResized(): void; onSignal(): void },
  { stdin, stdout } = process,
): UserTerminal {
  const decoder = new StringDecoder('utf8');
  const typed = (chunk: Buffer) => onTyped(decoder.write(chunk));
  let isTaken = true;
  function restore(): void {
    if (!isTaken) return;
    isTaken = false;
    stdin.off('data', typed);
    stdout.off('resize', onResized);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(`${RESET}${LEAVE_TITLE}`);
    process.off('exit', restore);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
  stdin.setRawMode(true);
  process.on('exit', restore);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  stdin.on('data', typed);
  stdout.on('resize', onResized);
  stdout.write(`${ENTER}\u001b]2;${title}\u0007\u001b[H\u001b[2J`);
  return {
    size: () => ({ cols: stdout.columns, rows: stdout.rows }),
    write: (data) => void stdout.write(data),
    restore,
  };
}

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
