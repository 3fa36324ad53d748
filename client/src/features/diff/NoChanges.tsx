import { Empty } from '../../ui/Empty.tsx';
import { against } from './against.ts';
import type { Diff } from './shape.ts';

/** Stands where the files would. */
export function NoChanges({ diff }: { diff: Diff }) {
  return (
    <Empty>
      <p>No changes {against(diff)}.</p>
      <p>What the agent writes appears here, committed or not.</p>
    </Empty>
  );
}
