import type { BytePath } from './status.ts';

/**
 * Escapes the paths of files that a recovery ref stores in a separate git tree, because git accepts neither `.git` nor
 * empty folders in a tree. In each part of a path, `%`, `~` and a leading `.` become `%` and their hexadecimal code. An
 * empty folder becomes a file named `%` in that folder.
 */
const MARK = '%';

/** Escapes the path of a file or an empty folder, so that a git tree can contain the path. */
export function toAsideName(path: BytePath, isEmptyFolder: boolean): BytePath {
  const parts = path.split('/').map((part) => part.replace(/[%~]|^\./g, hexOf));
  return [...parts, ...(isEmptyFolder ? [MARK] : [])].join('/');
}

function hexOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/**
 * Returns the path that `toAsideName` escaped. Returns null if the path leaves the worktree or enters the worktree's
 * own `.git`.
 */
export function fromAsideName(name: BytePath): { path: BytePath; isEmptyFolder: boolean } | null {
  const parts = name.split('/');
  const isEmptyFolder = parts.at(-1) === MARK;
  const unescaped = (isEmptyFolder ? parts.slice(0, -1) : parts).map((part) =>
    part.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
  if (unescaped.length === 0 || unescaped.some((part) => ['', '.', '..'].includes(part) || /[/\0]/.test(part)))
    return null;
  if (unescaped[0]?.toLowerCase() === '.git') return null;
  return { path: unescaped.join('/'), isEmptyFolder };
}
