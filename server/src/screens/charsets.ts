import { newTerminal } from './headless.ts';
import { type Charset, coreOf } from './internals.ts';

/** Finals of the sequences that choose a character set other than ASCII. */
const FINALS = '0A4C5RQKYE6ZH7=';

let known: Map<string, Charset> | undefined;

/** The terminal's character sets by final character, found out by choosing each one. */
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

/** Final character of the sequence that chooses a set; B for ASCII. */
export function designatorOf(charset: Charset): string {
  if (charset === undefined) return 'B';
  return [...charsets()].find(([, set]) => set === charset)?.[0] ?? 'B';
}

/** The set chosen by a final character; undefined for ASCII, as in the terminal. */
export const charsetOf = (designator: string): Charset => charsets().get(designator);
