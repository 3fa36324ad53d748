/**
 * The line above a session's first prompt, which lists the session's context files. The scripted agent parses this
 * line.
 */

const LEAD = 'Context files: ';
const SEPARATOR = ', ';

/**
 * Returns the line that names the context files, with a blank line after it, to put above a prompt. Returns an empty
 * text if there are no files.
 */
export function contextLead(paths: readonly string[]): string {
  return paths.length === 0 ? '' : `${LEAD}${paths.map((path) => JSON.stringify(path)).join(SEPARATOR)}\n\n`;
}

/** Splits a prompt from the line of context files above it. `paths` is empty if there is no such line. */
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
