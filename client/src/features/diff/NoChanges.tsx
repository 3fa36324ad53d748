import { EmptyState } from '../../ui/EmptyState.tsx';
import type { Diff } from './types.ts';

const SHORT_SHA_CHARS = 7;

/** Describes the base of a diff: `against main at 1a2b3c4`, or `since 1a2b3c4` if only the commit is known. */
export function diffTitle({ base, baseSha }: Pick<Diff, 'base' | 'baseSha'>): string {
  const sha = baseSha.slice(0, SHORT_SHA_CHARS);
  return /^[0-9a-f]{40,64}$/.test(base) ? `since ${sha}` : `against ${base} at ${sha}`;
}

/** Shown in place of a diff that contains no changes. */
export function NoChanges({ diff }: { diff: Diff }) {
  return (
    <EmptyState>
      <p>No changes {diffTitle(diff)}.</p>
      <p>Committed and uncommitted changes appear here.</p>
    </EmptyState>
  );
}
