import type * as v from 'valibot';
import type { RemovalRisk, Worktree } from './models/worktree.ts';
import { pluralize } from './pluralize.ts';
import { listNames } from './words.ts';

interface Removal {
  worktree: Pick<v.InferOutput<typeof Worktree>, 'id' | 'name'>;
  recoveryRef: string | null;
  lost: v.InferOutput<typeof RemovalRisk>;
  leftOut: readonly string[];
  warnings: readonly string[];
}

/**
 * Returns the text that says what the removal of a worktree saved, and what is lost. The warnings name the ignored
 * files that are lost.
 */
export function removalText({ worktree: { id, name }, recoveryRef, lost, leftOut, warnings }: Removal): string {
  const isSaved = (path: string) => !leftOut.includes(path);
  const counts = [
    [lost.uncommitted.filter(isSaved).length, 'uncommitted change'],
    [lost.untracked.filter(isSaved).length, 'untracked file'],
    [lost.unpushed.length, 'commit'],
    [lost.ignored.filter(({ saved }) => saved).length, 'ignored file'],
  ] as const;
  const counted = counts.filter(([count]) => count > 0).map(([count, noun]) => pluralize(count, noun));
  const more = lost.more > 0 ? ['and more'] : [];
  const saved = counted.length === 0 ? 'the current commit' : [...counted, ...more].join(', ');
  return [
    `Worktree ${name} removed.`,
    ...(recoveryRef === null ? [] : [`Saved for 30 days: ${saved}. To restore: agent-console worktrees restore ${id}`]),
    ...(leftOut.length === 0 ? [] : [`Lost: ${listNames(leftOut)}`]),
    ...warnings,
    '',
  ].join('\n');
}
