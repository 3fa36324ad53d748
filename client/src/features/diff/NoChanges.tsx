import { EmptyState } from '../../ui/EmptyState.tsx';
import { diffTitle } from './diff-title.ts';
import type { Diff } from './types.ts';

/** Empty state of the diff. */
export function NoChanges({ diff }: { diff: Diff }) {
  return (
    <EmptyState>
      <p>No changes {diffTitle(diff)}.</p>
      <p>Committed and uncommitted changes appear here.</p>
    </EmptyState>
  );
}
