/** Lines looked at above an agent's input box for signs of work: its spinner, a tip, a todo list, queued prompts. */
export const ABOVE_BOX_LINES = 16;

/** A line drawn across the screen: `─`, `━`, `▔`, dashes of a diff are none. A name may stand inside it. */
export function isRule(line: string): boolean {
  return /^\s*[─━▔]{8,}(?:$|.*[─━▔]$)/.test(line.trimEnd());
}

/** The lines without the blank ones below the last text. */
export function withoutTail(lines: readonly string[]): string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, last + 1).map((line) => line.trimEnd());
}

/** What is drawn inside a box: the line without border characters at its ends. */
export function unboxed(line: string): string {
  const inner = /^\s*[│┃║]+ ?(?:[│┃║] ?)?(.*?)\s*(?:[│┃║]\s*)*$/.exec(line);
  return (inner?.[1] ?? line).trimEnd();
}

/** Text of a question: no blank lines in a row, no rules, trimmed. */
export function asText(lines: readonly string[]): string {
  const kept = lines.map((line) => line.trim()).filter((line) => !/^[─━▔╌╭╰╮╯═▀▄▲▼\s]*$/.test(line) || line === '');
  return kept
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
