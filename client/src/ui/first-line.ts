/** Returns the first non-blank line of a text, or an empty text. */
export function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}
