/**
 * Formats a number with its noun: `1 file`, `1,200 files`.
 * @param plural the words after any other number than 1; by default the noun with an `s`
 */
export function pluralize(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;
}
