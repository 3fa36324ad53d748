import type * as v from 'valibot';
import type { FileDiff, WorktreeDiff } from './models/worktree.ts';

/**
 * Returns a diff as a patch that `git apply` accepts. Missing content (binary files, hunks beyond the limits) is noted
 * in lines that begin with `#`, which git ignores.
 */
export function toPatch({ files, moreFiles }: v.InferOutput<typeof WorktreeDiff>): string {
  const more = moreFiles > 0 ? [`# Further changed files that are not shown: ${moreFiles}`] : [];
  return [...files.flatMap(linesOf), ...more].map((line) => `${line}\n`).join('');
}

function linesOf(file: v.InferOutput<typeof FileDiff>): string[] {
  const { path, oldPath, status, binary, truncated, hunks } = file;
  const from = oldPath ?? path;
  if (binary || (truncated && hunks.length === 0)) {
    return [`# ${status} ${path}: ${binary ? 'binary file' : 'too large'}, content not shown`];
  }
  const isNew = status === 'added' || status === 'untracked';
  const mode = isNew ? ['new file mode 100644'] : status === 'deleted' ? ['deleted file mode 100644'] : [];
  const renamed = status === 'renamed' ? [`rename from ${from}`, `rename to ${path}`] : [];
  const copied = status === 'copied' ? [`copy from ${from}`, `copy to ${path}`] : [];
  const names =
    hunks.length === 0
      ? []
      : [`--- ${isNew ? '/dev/null' : `a/${from}`}`, `+++ ${status === 'deleted' ? '/dev/null' : `b/${path}`}`];
  const body = hunks.flatMap(({ header, lines }) => [header, ...lines]);
  const cut = truncated ? [`# ${path}: further hunks are too large to show`] : [];
  return [`diff --git a/${from} b/${path}`, ...mode, ...renamed, ...copied, ...names, ...body, ...cut];
}
