import type { Terminal } from '@xterm/xterm';

/** Sequences that query the terminal, without their parameters. */
const ASKING_CSI = [
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' },
  { prefix: '?', final: 'u' },
  { final: 't' },
];
const ASKING_DCS = [
  { intermediates: '$', final: 'q' },
  { intermediates: '+', final: 'q' },
];
/** The same sequence sets or queries a colour; a query has a question mark as value. */
const COLOUR_OSC = [4, 10, 11, 12, 17, 19];
const CLIPBOARD_OSC = 52;

/**
 * Swallows terminal queries. Several viewers share a terminal and replay old output on reconnect, so answers from here
 * would reach the program twice, late, or as typing. The console answers them itself. Clipboard access is refused too.
 */
export function ignoreTerminalQueries(terminal: Terminal): void {
  for (const id of ASKING_CSI) terminal.parser.registerCsiHandler(id, () => true);
  for (const id of ASKING_DCS) terminal.parser.registerDcsHandler(id, () => true);
  for (const id of COLOUR_OSC) terminal.parser.registerOscHandler(id, (data) => data.includes('?'));
  terminal.parser.registerOscHandler(CLIPBOARD_OSC, () => true);
}
