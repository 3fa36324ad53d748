/** Width of a tab in columns. diff.css sets the same width. */
const TAB_COLUMNS = 4;

/**
 * Wraps text at a column width. Returns the end index of each row, so that the height of a line is known before it is
 * rendered. A row ends after a space or punctuation, unless more than half of the row would be empty. Returns undefined
 * for text with characters that may be wider than one column, because only the browser can measure them.
 */
export function breaksOf(text: string, columns: number): readonly number[] | undefined {
  if (!/^[\t -~]*$/.test(text)) return undefined;
  if (text.length <= columns && !text.includes('\t')) return [text.length];
  const ends: number[] = [];
  let start = 0;
  let column = 0;
  let chance = 0;
  let chanceColumn = 0;
  for (let at = 0; at < text.length; at += 1) {
    const width = text[at] === '\t' ? TAB_COLUMNS - (column % TAB_COLUMNS) : 1;
    if (column + width > columns) {
      const end = chance > start && chanceColumn * 2 >= columns ? chance : at;
      ends.push(end);
      start = end;
      column = 0;
      at = end - 1;
      continue;
    }
    column += width;
    // A row can end after a space or punctuation. Spaces that follow this character belong to the same row.
    if (/[\s,;:)\]}>/.&|-]/.test(text[at] ?? '') && text[at + 1] !== ' ') {
      chance = at + 1;
      chanceColumn = column;
    }
  }
  if (start < text.length || ends.length === 0) ends.push(text.length);
  return ends;
}
