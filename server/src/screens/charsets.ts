import { newTerminal } from './headless.ts';
import { type Charset, coreOf } from './internals.ts';

/** Final characters of the escape sequences that select a character set other than ASCII. */
const FINALS = '0A4C5RQKYE6ZH7=';

let known: Map<string, Charset> | undefined;

/**
 * Returns the terminal's character sets by the final character that selects them. The sets are determined by selecting
 * each one in a new terminal.
 */
function charsets(): Map<string, Charset> {
  if (known !== undefined) return known;
  const terminal = newTerminal({ cols: 2, rows: 1, scrollback: 0 });
  const core = coreOf(terminal);
  known = new Map(
    [...FINALS].map((final) => {
      core.writeSync(`\x1b(${final}`);
      return [final, core._charsetService.charset];
    }),
  );
  terminal.dispose();
  return known;
}

/** Returns the final character of the escape sequence that selects a character set. B means ASCII. */
export function designatorOf(charset: Charset): string {
  if (charset === undefined) return 'B';
  return [...charsets()].find(([, set]) => set === charset)?.[0] ?? 'B';
}

/**
 * Returns the character set that a final character selects. Undefined means ASCII, which the terminal also stores as
 * undefined.
 */
export const charsetOf = (designator: string): Charset => charsets().get(designator);
