import type * as v from 'valibot';
import { RISK_LIST_MAX } from './limits/git.ts';
import type { RemovalRisk, Worktree } from './models/worktree.ts';
import { pluralize } from './pluralize.ts';
import { listNames } from './words.ts';

interface Removal {
  worktree: Pick<v.InferOutput<typeof Worktree>, 'id' | 'name' | 'branch'>;
  recoveryRef: string | null;
  lost: v.InferOutput<typeof RemovalRisk>;
  leftOut: readonly string[];
  warnings: readonly string[];
}

/**
 * Returns the text that says what the removal of a worktree saved, and what is lost. The warnings name the ignored
 * files that are lost. Commits of a branch are not mentioned, because the branch keeps them.
 */
export function removalText({ worktree, recoveryRef, lost, leftOut, warnings }: Removal): string {
  const { id, name, branch } = worktree;
  // Only in `leftOut`, the path of a changed submodule ends with a slash.
  const unsaved = new Set(leftOut.map(withoutSlash));
  const isSaved = (path: string) => !unsaved.has(withoutSlash(path));
  const groups = [
    { listed: lost.uncommitted, saved: lost.uncommitted.filter(isSaved), noun: 'uncommitted change' },
    { listed: lost.untracked, saved: lost.untracked.filter(isSaved), noun: 'untracked file' },
    { listed: lost.unpushed, saved: branch === null ? lost.unpushed : [], noun: 'commit' },
    { listed: lost.ignored, saved: lost.ignored.filter((each) => each.saved), noun: 'ignored file' },
  ].filter(({ saved }) => saved.length > 0);
  const isCut = lost.more > 0 && groups.some(({ listed }) => listed.length >= RISK_LIST_MAX);
  const counts = [...groups.map(({ saved, noun }) => pluralize(saved.length, noun)), ...(isCut ? ['and more'] : [])];
  // Without a count, the recovery ref may be that of an earlier removal, which was interrupted.
  const saved = counts.length === 0 ? 'It is saved for 30 days' : `Saved for 30 days: ${counts.join(', ')}`;
  return [
    `Worktree ${name} removed.`,
    ...(recoveryRef === null ? [] : [`${saved}. To restore: agent-console worktrees restore ${id}`]),
    ...(leftOut.length === 0 ? [] : [`Lost: ${listNames(leftOut)}`]),
    ...warnings,
    '',
  ].join('\n');
}

const withoutSlash = (path: string) => path.replace(/\/$/, '');
