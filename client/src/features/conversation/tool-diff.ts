import { structuredPatch } from 'diff';
import type { Hunk } from '../diff/types.ts';

/** Number of unchanged lines shown around a change. */
const CONTEXT_LINES = 3;
/** Maximum number of changed lines. Texts that differ in more lines are not compared. */
const EDITS_MAX = 4_000;

export interface ToolDiff {
  /** The changes; undefined if the texts differ too much to be compared. */
  hunks: readonly Hunk[] | undefined;
  additions: number;
  deletions: number;
}

/** Compares two versions of a file, or of the part of a file that the agent reported. */
export function toolDiff(oldText: string | null, newText: string): ToolDiff {
  const options = { context: CONTEXT_LINES, maxEditLength: EDITS_MAX };
  const patch = structuredPatch('', '', oldText ?? '', newText, '', '', options);
  const hunks: readonly Hunk[] | undefined = patch?.hunks.map((hunk) => ({ ...hunk, header: '' }));
  const count = (sign: string) =>
    (hunks ?? []).reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  return { hunks, additions: count('+'), deletions: count('-') };
}
