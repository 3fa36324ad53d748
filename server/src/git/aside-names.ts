import type { BytePath } from './status.ts';

/**
 * Names in the tree that holds what no tree of git's holds by its own name: git takes neither `.git` nor empty folders.
 * In each part of a path, `%`, `~` and a first `.` stand as `%` and their hexadecimal code; a file named `%` makes its
 * folder known.
 */
const MARK = '%';

/** The name of a file, or of an empty folder, in that tree. */
export function asideName(path: BytePath, isEmptyFolder: boolean): BytePath {
  const parts = path.split('/').map((part) => part.replace(/[%~]|^\./g, hexOf));
  return [...parts, ...(isEmptyFolder ? [MARK] : [])].join('/');
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The path that such a name means; null for one that leads out of the worktree, or into its own `.git`. */
export function fromAsideName(name: BytePath): { path: BytePath; isEmptyFolder: boolean } | null {
  const parts = name.split('/');
  const isEmptyFolder = parts.at(-1) === MARK;
  const own = (isEmptyFolder ? parts.slice(0, -1) : parts).map((part) =>
    part.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
  if (own.length === 0 || own.some((part) => ['', '.', '..'].includes(part) || /[/\0]/.test(part))) return null;
  if (own[0]?.toLowerCase() === '.git') return null;
  return { path: own.join('/'), isEmptyFolder };
}
