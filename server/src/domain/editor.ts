export interface EditorTarget {
  /** Absolute path of a file or folder. */
  path: string;
  line: number;
}

/**
 * Returns the program and arguments of an editor command. Spaces separate words, except within quotes. No other
 * character has a special meaning. Path and line replace `{path}` and `{line}` inside words, so a path never becomes
 * several arguments. Without `{path}`, the path is the last argument.
 */
export function editorArguments(template: string, { path, line }: EditorTarget): string[] {
  const words = [...template.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
  const named = words.some((word) => word.includes('{path}')) ? words : [...words, '{path}'];
  return named.map((word) => fill(word, { path, line: String(line) }));
}

/** Returns the URL that opens the target in an editor. The path is encoded except for its slashes. */
export function editorAddress(template: string, { path, line }: EditorTarget): string {
  return fill(template, { path: encodeURI(path).replace(/[?#]/g, encodeURIComponent), line: String(line) });
}

/** Replaces all placeholders in one pass, so that text in braces within a value is not replaced. */
function fill(template: string, values: Readonly<Record<'path' | 'line', string>>): string {
  return template.replace(/\{(path|line)\}/g, (_, name: 'path' | 'line') => values[name]);
}
