import { fieldIssues, type Refusal } from '../../ui/Problem.tsx';

/** Maximum length of an agent id in characters. */
const ID_CHARS = 63;

/** Returns an agent id made of a name: `Claude Code (fast)` becomes `claude-code-fast`. */
export function idFromName(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, ID_CHARS)
    .replace(/-$/, '');
}

/**
 * Returns the command line of an agent: the executable, followed by its arguments. `args` has one argument per line.
 */
export function commandLine({ command, args }: { command: string; args: string }): string[] {
  return [command.trim(), ...args.split('\n').filter((line) => line !== '')].filter((part) => part !== '');
}

/**
 * Returns the error with its messages assigned to the fields of the form. The form has separate fields for the
 * executable and its arguments, and only one field for `id` and `newId`.
 */
export function byFormField(error: Refusal | null): Refusal | null {
  const issues = fieldIssues(error);
  if (error === null || issues.length === 0) return error;
  const pathOf = (path: string) => {
    if (path === 'newId') return 'id';
    return /^command\.[1-9]/.test(path) ? 'args' : path;
  };
  const named = issues.map(({ path, message }) => ({ path: pathOf(path), message }));
  return { message: error.message, details: { ...error.details, issues: named } };
}

/** Parses an entry of the ACP registry. Returns the entry, or a message about a mistake in its JSON. */
export function parseEntry(text: string): { entry: Record<string, unknown> } | { problem: string } {
  try {
    const entry: unknown = JSON.parse(text);
    if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) return { entry: { ...entry } };
    return { problem: 'Paste one registry entry: a JSON object such as {"id": …}.' };
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
