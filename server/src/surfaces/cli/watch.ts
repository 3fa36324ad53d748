import { changes } from './changes.ts';
import type { ConsoleAddress } from './find-console.ts';

/** Time in milliseconds without events after which a terminal is redrawn, because the displayed ages change. */
const REDRAW_MS = 5_000;

/**
 * Prints the text that `textNow` returns, and prints it again after each event until `signal` is aborted. A terminal is
 * cleared before each print, and also redrawn after REDRAW_MS without events. For any other output, the text is printed
 * only if it has changed.
 */
export async function watch(
  address: ConsoleAddress,
  textNow: () => Promise<string>,
  { isTerminal, signal, write }: { isTerminal: boolean; signal: AbortSignal; write: (text: string) => void },
): Promise<void> {
  let last: string | undefined;
  for await (const _ of changes(address, signal, isTerminal ? REDRAW_MS : undefined)) {
    const text = await textNow();
    if (isTerminal) write(`\u001b[H\u001b[2J\u001b[3J${text}`);
    else if (text !== last) write(last === undefined ? text : `\n${text}`);
    last = text;
  }
}
