/** Characters that end or clear a person's line: Enter, line feed, Ctrl-C, Ctrl-U, Ctrl-D. */
const ENDS_LINE = new Set([0x0d, 0x0a, 0x03, 0x15, 0x04]);

/** Whether bytes a person typed leave an unfinished line behind, or null when they say nothing (a lone escape sequence). */
export function leavesUnfinishedLine(data: Buffer): boolean | null {
  const last = data.at(-1);
  if (last === undefined) return null;
  if (ENDS_LINE.has(last)) return false;
  // Arrow keys, focus reports and the like begin with ESC and put nothing into a line.
  if (data[0] === 0x1b && !data.subarray(0, 6).equals(Buffer.from('\x1b[200~'))) return null;
  return true;
}

/** What an agent's input line makes of certain texts. */
export interface LineRules {
  /** Characters that command the agent when a text begins with one of them. */
  commandCharacters: readonly string[];
  /** A first line that makes such a text plain; null where none needs one. */
  safePrefix: string | null;
  /** Whether a blank may be typed behind a prompt: most agents take it off, to none it says anything. */
  trailingSpace: boolean;
}

/** Whether a text may command an agent when it is typed to it; some pass over blanks before it. */
export function isCommand(text: string, { commandCharacters }: Pick<LineRules, 'commandCharacters'>): boolean {
  return commandCharacters.some((character) => text.trimStart().startsWith(character));
}

/**
 * A prompt as it is typed so that its words arrive. A blank at the end keeps
 * Enter what it is: behind a backslash it would be a line break (Claude Code, Gemini CLI), and behind a word such as
 * `@x` it would choose from the list which that opens (Codex, Gemini CLI, opencode). A person's lone command is left to
 * that list.
 * @param asTheyAre a command among them commands the agent, as a person at its keyboard would; else it is made plain text.
 * @param lead stands above the prompt, but not above a person's command, which would be one no more.
 */
export function asTyped(prompt: string, asTheyAre: boolean, rules: LineRules, lead = ''): string {
  const { safePrefix, trailingSpace } = rules;
  const commands = isCommand(prompt, rules);
  const meant = commands && asTheyAre;
  const guard = commands && !asTheyAre && safePrefix !== null ? `${safePrefix}\n` : '';
  const text = `${lead !== '' && !meant ? lead : guard}${prompt}`;
  return trailingSpace && !(meant && !/\s/.test(prompt)) ? `${text} ` : text;
}

/** What the screen shows of an agent's input line. */
export type LineView =
  /** No line is seen, or what is shown may be older than what was typed. */
  | 'unseen'
  /** The text stands in it. */
  | 'text'
  /** It is empty, or something else stands in it. */
  | 'other';

/** A long paste is shown as a mark of its own, such as `[Pasted text #1 +12 lines]`. */
const PASTE_MARK = /\[pasted\b/i;
/** Shorter texts are only known again when nothing else stands beside them: hints in empty lines contain them. */
const KNOWN_WITHIN_CHARS = 8;

/** Neighbouring letters that are compared at a time, and the share of them that must be the text's. */
const GRAM = 3;
const SHARE = 1 / 2;

/**
 * Whether a typed text stands in a line as it is shown: perhaps its beginning or its end only, wrapped, with other blanks,
 * or as the mark of a paste. Letters and digits are compared, since terminals differ in how they draw the rest; of rare
 * letters some are lost, where program and terminal do not agree on their width.
 */
export function standsInLine(line: string, typed: string): boolean {
  if (line.trim() === '') return false;
  if (PASTE_MARK.test(line)) return true;
  const [shown, wanted] = [letters(line), letters(typed)];
  if (wanted === '' || shown === '') return wanted === shown;
  if (wanted.includes(shown)) return true;
  if (wanted.length < KNOWN_WITHIN_CHARS) return false;
  return shown.includes(wanted) || isMostly(shown, wanted);
}

function isMostly(shown: string, wanted: string): boolean {
  if (shown.length < KNOWN_WITHIN_CHARS) return false;
  const known = new Set(grams(wanted));
  const seen = grams(shown);
  return seen.filter((gram) => known.has(gram)).length >= seen.length * SHARE;
}

function grams(text: string): string[] {
  return Array.from({ length: text.length - GRAM + 1 }, (_, at) => text.slice(at, at + GRAM));
}

function letters(text: string): string {
  // Taken apart first: some programs and terminals join a letter and its marks, others do not.
  return text.normalize('NFKD').replace(/[^\p{L}\p{N}]+/gu, '');
}
