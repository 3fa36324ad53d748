/** Number of names of a longer list that a message contains. */
const NAMES_IN_MESSAGE = 5;

/**
 * Lists names for a message, e.g. `a, b, c, d, e and 3 more`.
 * @param count number of all names, if `names` is only a part of them
 */
export function listNames(names: readonly string[], count: number = names.length): string {
  const more = count > NAMES_IN_MESSAGE ? ` and ${count - NAMES_IN_MESSAGE} more` : '';
  return `${names.slice(0, NAMES_IN_MESSAGE).join(', ')}${more}`;
}

/** Splits a text filter into lower-case words. */
export function wordsOf(filter: string): string[] {
  return filter.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether each word of a text filter occurs in a text. Upper and lower case are not distinguished. */
export function containsWords(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return wordsOf(filter).every((word) => lower.includes(word));
}
