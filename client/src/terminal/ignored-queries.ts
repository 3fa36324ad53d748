import type { Terminal } from '@xterm/xterm';

/** Sequences by which a program asks its terminal something, without their parameters. */
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
/** Colours can be set or asked for by the same sequence; asking has a question mark for a value. */
const COLOUR_OSC = [4, 10, 11, 12, 17, 19];
const CLIPBOARD_OSC = 52;

/**
 * Swallows every question. Several viewers look at one terminal, and old output is shown again on a reconnect: an answer
 * from here would reach the program twice, late, or as typing. The console answers them itself. Programs do not get at
 * the clipboard either.
 */
export function ignoreTerminalQueries(terminal: Terminal): void {
  for (const id of ASKING_CSI) terminal.parser.registerCsiHandler(id, () => true);
  for (const id of ASKING_DCS) terminal.parser.registerDcsHandler(id, () => true);
  for (const id of COLOUR_OSC) terminal.parser.registerOscHandler(id, (data) => data.includes('?'));
  terminal.parser.registerOscHandler(CLIPBOARD_OSC, () => true);
}
