import { isolateText } from '../../ui/hidden-characters.ts';
import type { Diff } from './types.ts';

const SHORT_SHA_CHARS = 7;

/**
 * Describes the base of a diff: `against main at 1a2b3c4`, or `since 1a2b3c4` if only the commit is known.
 * @param branch base branch of the worktree, shown if `base` is a commit id
 */
export function diffTitle({ base, baseSha }: Pick<Diff, 'base' | 'baseSha'>, branch: string | null): string {
  const sha = baseSha.slice(0, SHORT_SHA_CHARS);
  const name = /^[0-9a-f]{40,64}$/.test(base) ? branch : base;
  return name === null ? `since ${sha}` : `against ${isolateText(name)} at ${sha}`;
}
