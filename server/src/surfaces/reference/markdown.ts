/** Part of a sentence in each generated document, which says how to regenerate the document. */
export const UPDATE = '`UPDATE_REFERENCE=1 npx vitest run server/test/surfaces/reference.test.ts` regenerates it';

/** Returns a Markdown table. Each cell must be Markdown on a single line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

export const code = (text: string) => `\`${text}\``;

/** Formats names as code in one cell, or a dash if there are none. */
export function codes(names: readonly string[]): string {
  return names.map(code).join(', ') || '-';
}

export function cell(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .replace(/<(?=[a-z/])/gi, '\\<');
}

/** Returns the anchor of a heading in rendered Markdown: lower case, no punctuation, spaces as dashes. */
export function anchor(heading: string): string {
  return `#${heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')}`;
}
