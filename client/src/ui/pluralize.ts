/** Formats a number with its noun: `1 file`, `1,200 files`. */
export function pluralize(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
