/** The words that stand above the first prompt of a session with context files, and how an agent of ours reads them. */

const LEAD = 'Context files: ';
const BETWEEN = ', ';

/** The lead above a prompt; empty where there are no files. */
export function contextLead(paths: readonly string[]): string {
  return paths.length === 0 ? '' : `${LEAD}${paths.map((path) => JSON.stringify(path)).join(BETWEEN)}\n\n`;
}

/** A prompt without its lead, and the files that this named; none where it has no lead. */
export function splitContextLead(text: string): { paths: string[]; prompt: string } {
  const [line = '', ...rest] = text.split(/\r\n|\r|\n/);
  if (!line.startsWith(LEAD)) return { paths: [], prompt: text };
  try {
    const paths: unknown = JSON.parse(`[${line.slice(LEAD.length)}]`);
    return Array.isArray(paths) ? { paths: paths.map(String), prompt: rest.join('\n') } : { paths: [], prompt: text };
  } catch {
    return { paths: [], prompt: text };
  }
}
