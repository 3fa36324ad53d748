/** Splits a text filter into lower-case words. */
export function wordsOf(filter: string): string[] {
  return filter.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether each word of a text filter occurs in a text. Upper and lower case are not distinguished. */
export function containsWords(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return wordsOf(filter).every((word) => lower.includes(word));
}
