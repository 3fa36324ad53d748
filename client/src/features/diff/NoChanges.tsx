import { EmptyState } from '../../ui/EmptyState.tsx';
import { diffTitle } from './diff-title.ts';
import type { Diff } from './types.ts';

/** Stands where the files would. */
export function NoChanges({ diff }: { diff: Diff }) {
  return (
    <EmptyState>
      <p>No changes {diffTitle(diff)}.</p>
      <p>What the agent writes appears here, committed or not.</p>
    </EmptyState>
  );
}
