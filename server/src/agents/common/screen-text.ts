/**
 * Number of lines above an agent's input box that are searched for signs of work. They may contain a spinner, a tip, a
 * to-do list and queued prompts.
 */
export const ABOVE_BOX_LINES = 16;

/** Whether the line is a horizontal rule, perhaps with a name inside. The dashes of a diff do not count. */
export function isRule(line: string): boolean {
  return /^\s*[─━▔]{8,}(?:$|.*[─━▔]$)/.test(line.trimEnd());
}

/** Returns the lines without trailing blanks, and without blank lines below the last text. */
export function withoutTail(lines: readonly string[]): string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1).map((line) => line.trimEnd());
}

/** Returns the content of a line inside a box, without the border characters at its ends. */
export function unboxed(line: string): string {
  const inner = /^\s*[│┃║]+ ?(?:[│┃║] ?)?(.*?)\s*(?:[│┃║]\s*)*$/.exec(line);
  return (inner?.[1] ?? line).trimEnd();
}

/** Returns the text of a question: trimmed lines, without horizontal lines and with at most one blank line in a row. */
export function questionText(lines: readonly string[]): string {
  const kept = lines.map((line) => line.trim()).filter((line) => !/^[─━▔╌╭╰╮╯═▀▄▲▼\s]*$/.test(line) || line === '');
  return kept
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
