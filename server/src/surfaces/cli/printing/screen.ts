/** Capabilities of the output: its width in characters, and whether it may contain colours. */
export interface Screen {
  /** Width in characters; Infinity if lines need not be cut, for example in a pipe or a file. */
  width: number;
  hasColor: boolean;
}

const WIDTH_OF_TERMINAL = 80;

/** Returns the capabilities of standard output. `COLUMNS`, `NO_COLOR` and `TERM` have priority over the terminal. */
export function screenOf(
  stdout: { isTTY?: boolean; columns?: number } = process.stdout,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Screen {
  const columns = /^[1-9]\d{0,4}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : undefined;
  const isTerminal = stdout.isTTY === true;
  return {
    width: columns ?? (isTerminal ? stdout.columns || WIDTH_OF_TERMINAL : Number.POSITIVE_INFINITY),
    hasColor: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
  };
}

const WIDE_CHARACTER =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u;
const ZERO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** Returns the number of terminal cells of a text without control characters. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += ZERO_WIDTH.test(character) ? 0 : WIDE_CHARACTER.test(character) ? 2 : 1;
  return width;
}

const COLORS: readonly [words: RegExp, code: number][] = [
  [/^(?:asks|blocked|pending|awaiting_input|awaiting report)$/, 33],
  [/^(?:failed|rejected|lost|conflict|exited \(.*\)|error)$/, 31],
  [/^(?:done|completed|merged|passed|succeeded)$/, 32],
  [/^(?:working|starting|running|preparing)$/, 36],
];

/**
 * Returns the name of a state in the colour of its group: needs a person, failed, done, or working. A state without a
 * group gets no colour.
 */
export function colored(word: string): string {
  const code = COLORS.find(([words]) => words.test(word))?.[1];
  return code === undefined ? word : `\u001b[${code}m${word}\u001b[39m`;
}

export const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
