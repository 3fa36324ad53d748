import { BODY_MAX_BYTES } from '@agent-console/shared/limits/calls';
import type { DiffFile } from '../diff/types.ts';

/** Keys (see `unitKey`) of the changes that are not discarded. */
export type Excluded = ReadonlySet<string>;

/** Whether single hunks of the file can be discarded. If not, only the whole file can be discarded. */
export function isDivisible({ status, binary, truncated, invalidUtf8, hunks }: DiffFile): boolean {
  const hasBoth = status === 'modified' || status === 'renamed' || status === 'copied';
  return hasBoth && !binary && !truncated && !invalidUtf8 && hunks.length > 1;
}

/** Returns the key of a hunk, or of a whole file if its hunks cannot be discarded one by one. */
export function unitKey({ path }: DiffFile, hunk = 0): string {
  return `${hunk} ${path}`;
}

/** Returns the keys of the parts of a file that can be discarded separately: its hunks, or the whole file. */
export function unitsOf(file: DiffFile): string[] {
  return isDivisible(file) ? file.hunks.map((_, at) => unitKey(file, at)) : [unitKey(file)];
}

export function chosenOf(file: DiffFile, excluded: Excluded): 'all' | 'some' | 'none' {
  const units = unitsOf(file);
  const chosen = units.filter((unit) => !excluded.has(unit)).length;
  return chosen === 0 ? 'none' : chosen === units.length ? 'all' : 'some';
}

/** Returns `excluded` with these hunks or files added or, if it already contains all of them, removed. */
export function toggled(excluded: Excluded, units: readonly string[]): Excluded {
  const after = new Set(excluded);
  const include = units.every((unit) => excluded.has(unit));
  for (const unit of units) {
    if (include) after.delete(unit);
    else after.add(unit);
  }
  return after;
}

/**
 * Maximum total length, in characters, of the lines of hunks in a request. With the lines, the console can refuse to
 * discard hunks that have changed. If the lines are longer, the request contains the hunks without lines, because it
 * would be too large with them.
 */
const LINES_MAX_CHARS = BODY_MAX_BYTES / 4;

/** Returns the arguments of `worktrees.discard` that say what to discard: whole files by path, and single hunks. */
export function discardRequest(files: readonly DiffFile[], excluded: Excluded) {
  const whole = files.filter((file) => chosenOf(file, excluded) === 'all');
  // Discarding a renamed file restores the old file only if the request contains the old path too.
  const paths = whole.flatMap(({ path, oldPath, status }) =>
    oldPath === null || status === 'copied' ? [path] : [path, oldPath],
  );
  const hunks = files
    .filter((file) => chosenOf(file, excluded) === 'some')
    .flatMap((file) =>
      file.hunks
        .filter((_, at) => !excluded.has(unitKey(file, at)))
        .map(({ oldStart, newStart, lines }) => ({ path: file.path, oldStart, newStart, lines })),
    );
  const size = hunks.reduce((sum, { lines }) => sum + lines.join('').length, 0);
  const named = size < LINES_MAX_CHARS ? hunks : hunks.map(({ lines: _, ...name }) => name);
  return { ...(paths.length === 0 ? {} : { paths }), ...(hunks.length === 0 ? {} : { hunks: named }) };
}

/** Quotes a path for a shell. */
function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Maximum number of files that the restore command names. For more files, the command contains a placeholder. */
const COMMAND_PATHS_MAX = 5;

/** Returns the command that restores discarded files from a recovery ref. */
export function restoreCommand(recoveryRef: string, files: readonly Pick<DiffFile, 'path' | 'status'>[]): string {
  // The command names no files that were deleted in the worktree, because the recovery ref does not contain them.
  const saved = files.filter(({ status }) => status !== 'deleted').map(({ path }) => shellWord(path));
  const named = saved.length === 0 || saved.length > COMMAND_PATHS_MAX ? ['<file>'] : saved;
  return ['git', 'restore', `--source=${recoveryRef}`, '--', ...named].join(' ');
}
