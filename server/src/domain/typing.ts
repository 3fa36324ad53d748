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
