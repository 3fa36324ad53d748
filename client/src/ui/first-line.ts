/** Returns the first line of a text that is not blank. */
export function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}
