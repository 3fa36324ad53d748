import type * as v from 'valibot';
import type { FileDiff, WorktreeDiff } from './models/worktree.ts';

/**
 * Returns a diff as a patch that `git apply` accepts. Missing content (binary files, text that is not UTF-8, hunks
 * beyond the limits) is noted in lines that begin with `#`, which git ignores.
 */
export function toPatch({ files, moreFiles }: v.InferOutput<typeof WorktreeDiff>): string {
  const more = moreFiles > 0 ? [`# Further changed files that are not shown: ${moreFiles}`] : [];
  return [...files.flatMap(linesOf), ...more].map((line) => `${line}\n`).join('');
}

function linesOf(file: v.InferOutput<typeof FileDiff>): string[] {
  const { path, oldPath, status, oldMode, newMode, truncated, hunks } = file;
  const missing = missingContent(file);
  if (missing !== undefined) return [`# ${status} ${quotedName(path)}: ${missing}, content not shown`];
  if (status === 'typeChanged') {
    // git writes the deletion of the old file and the addition of the new one.
    const deleted = linesOf({ ...file, status: 'deleted', hunks: hunks.filter((hunk) => hunk.newLines === 0) });
    return [...deleted, ...linesOf({ ...file, status: 'added', hunks: hunks.filter((hunk) => hunk.oldLines === 0) })];
  }
  const from = oldPath ?? path;
  const [a, b] = [quotedName(`a/${from}`), quotedName(`b/${path}`)];
  const isNew = status === 'added' || status === 'untracked';
  const isDeleted = status === 'deleted';
  const changedMode = oldMode === newMode ? [] : [`old mode ${oldMode}`, `new mode ${newMode}`];
  const mode = isNew ? [`new file mode ${newMode}`] : isDeleted ? [`deleted file mode ${oldMode}`] : changedMode;
  const move = status === 'renamed' ? 'rename' : status === 'copied' ? 'copy' : undefined;
  const moved = move === undefined ? [] : [`${move} from ${quotedName(from)}`, `${move} to ${quotedName(path)}`];
  const names = hunks.length === 0 ? [] : [`--- ${isNew ? '/dev/null' : a}`, `+++ ${isDeleted ? '/dev/null' : b}`];
  const body = hunks.flatMap(({ header, lines }) => [header, ...lines]);
  const cut = truncated ? [`# ${quotedName(path)}: further hunks are too large to show`] : [];
  const changes = [...mode, ...moved, ...names, ...body, ...cut];
  return changes.length === 0 ? [] : [`diff --git ${a} ${b}`, ...changes];
}

/** Explains why the patch lacks the content of a file; undefined if it contains at least part of it. */
function missingContent(file: v.InferOutput<typeof FileDiff>): string | undefined {
  const { path, status, binary, truncated, invalidUtf8, hunks } = file;
  if (binary) return 'binary file';
  if (invalidUtf8) return 'not UTF-8';
  if (path.endsWith('/')) return 'nested repository';
  // Without all hunks, a change of the type would only delete the file.
  return truncated && (hunks.length === 0 || status === 'typeChanged') ? 'too large' : undefined;
}

/** Quotes a name that contains special characters, as git does in a patch. */
export function quotedName(name: string): string {
  const escaped = name.replace(/["\\\x00-\x1f\x7f]/g, (character) => {
    const code = character.charCodeAt(0);
    if (code >= 7 && code <= 13) return `\\${'abtnvfr'[code - 7]}`;
    return code < 32 || code === 127 ? `\\${code.toString(8).padStart(3, '0')}` : `\\${character}`;
  });
  return escaped === name ? name : `"${escaped}"`;
}
