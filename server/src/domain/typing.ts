/** Bytes that submit or clear a line: Enter, line feed, Ctrl-C, Ctrl-U, Ctrl-D. */
const ENDS_LINE = new Set([0x0d, 0x0a, 0x03, 0x15, 0x04]);

/**
 * Whether the typed bytes leave unsubmitted text in the input line; null if they do not change the line, e.g. an arrow
 * key.
 */
export function leavesUnfinishedLine(data: Buffer): boolean | null {
  const last = data.at(-1);
  if (last === undefined) return null;
  if (ENDS_LINE.has(last)) return false;
  // Arrow keys and focus reports start with ESC and leave the text of the line unchanged. A bracketed paste starts with
  // ESC too, but adds text.
  if (data[0] === 0x1b && !data.subarray(0, 6).equals(Buffer.from('\x1b[200~'))) return null;
  return true;
}

/** How an agent's input line interprets certain texts. */
export interface LineRules {
  /** A text that starts with one of these characters is a command. */
  commandCharacters: readonly string[];
  /**
   * Line typed above a text that looks like a command, so that the agent treats it as plain text; null if the agent has
   * no commands.
   */
  safePrefix: string | null;
  /** Whether a space is typed after a prompt, so that Enter submits it (see `textToType`). Agents ignore the space. */
  trailingSpace: boolean;
}

/**
 * Whether an agent may interpret a typed text as a command. Leading white space is ignored, because some agents skip
 * it.
 */
export function isCommand(text: string, { commandCharacters }: Pick<LineRules, 'commandCharacters'>): boolean {
  return commandCharacters.some((character) => text.trimStart().startsWith(character));
}

/**
 * Returns the text to type for a prompt. A trailing space ensures that Enter submits. Without it:
 * - After a backslash, Enter inserts a line break (Claude Code, Gemini CLI).
 * - After a word such as `@x`, Enter chooses from the completion list (Codex, Gemini CLI, opencode).
 *
 * A person's single-word command gets no space, so that Enter chooses from its completion list.
 * @param allowsCommands whether a command stays a command, as if typed by a person. Otherwise it becomes plain text.
 * @param lead text to type above the prompt. Not used for a prompt that stays a command, because a command must come
 * first.
 */
export function textToType(prompt: string, allowsCommands: boolean, rules: LineRules, lead = ''): string {
  const { safePrefix, trailingSpace } = rules;
  const looksLikeCommand = isCommand(prompt, rules);
  const staysCommand = looksLikeCommand && allowsCommands;
  const guard = looksLikeCommand && !allowsCommands && safePrefix !== null ? `${safePrefix}\n` : '';
  const text = `${lead !== '' && !staysCommand ? lead : guard}${prompt}`;
  return trailingSpace && !(staysCommand && !/\s/.test(prompt)) ? `${text} ` : text;
}

/** Content of an agent's input line according to its screen. */
export type LineView =
  /** The screen shows no input line, or the screen may be older than the typed text. */
  | 'unseen'
  /** The input line contains the typed text. */
  | 'text'
  /** The input line is empty or contains another text. */
  | 'other';

/** Placeholder that agents show instead of a long paste, such as `[Pasted text #1 +12 lines]`. */
const PASTE_PLACEHOLDER = /\[pasted\b/i;
/**
 * Minimum number of letters and digits of a typed text that may match only part of a line. A shorter text could occur
 * by chance in a hint that the agent shows in an empty input line.
 */
const MIN_PARTIAL_MATCH_CHARS = 8;

/**
 * A shown line matches a typed text if at least MIN_SHARE of the line's n-grams, of GRAM_LENGTH characters each, occur
 * in the text.
 */
const GRAM_LENGTH = 3;
const MIN_SHARE = 1 / 2;

/**
 * Whether an input line shows a typed text, possibly cut, wrapped or as a paste placeholder. Only letters and digits
 * are compared, because terminals draw other characters differently. Not all of them must match, because a terminal may
 * be unable to show some letters.
 */
export function lineContainsText(line: string, typed: string): boolean {
  if (line.trim() === '') return false;
  if (PASTE_PLACEHOLDER.test(line)) return true;
  const [shown, text] = [letters(line), letters(typed)];
  if (text === '' || shown === '') return text === shown;
  if (text.includes(shown)) return true;
  if (text.length < MIN_PARTIAL_MATCH_CHARS) return false;
  return shown.includes(text) || isMostly(shown, text);
}

/** Whether at least MIN_SHARE of the shown line's n-grams occur in the text. */
function isMostly(shown: string, text: string): boolean {
  if (shown.length < MIN_PARTIAL_MATCH_CHARS) return false;
  const known = new Set(grams(text));
  const shownGrams = grams(shown);
  return shownGrams.filter((gram) => known.has(gram)).length >= shownGrams.length * MIN_SHARE;
}

function grams(text: string): string[] {
  return Array.from({ length: text.length - GRAM_LENGTH + 1 }, (_, at) => text.slice(at, at + GRAM_LENGTH));
}

function letters(text: string): string {
  // Normalized, because some agents and terminals compose letters with their diacritics and others do not.
  return text.normalize('NFKD').replace(/[^\p{L}\p{N}]+/gu, '');
}
