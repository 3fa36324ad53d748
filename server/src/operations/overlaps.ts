import type { OverlapRow } from '../ports/rows.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { slicePage } from './paging.ts';

function listOverlaps({ storage, overlaps }: OperationContext): Implementation<'repositories.overlaps'> {
  return async ({ repositoryId, ...page }) => {
    await overlaps.refreshAll(repositoryId);
    const rows = await storage.read.overlaps.find({ repositoryId });
    const { data, ...rest } = slicePage(rows.sort(byConflicts), page);
    return { ...rest, data: data.map(presentOverlap) };
  };
}

const conflictsIn = ({ files }: OverlapRow) => files.filter(({ kind }) => kind === 'conflict').length;

function byConflicts(one: OverlapRow, other: OverlapRow): number {
  return conflictsIn(other) - conflictsIn(one) || other.files.length - one.files.length;
}

function presentOverlap({ worktreeId, otherWorktreeId, files, computedAt }: OverlapRow) {
  return { worktreeIds: [worktreeId, otherWorktreeId] as [string, string], files, computedAt };
}

export function overlapOperations(context: OperationContext) {
  return { 'repositories.overlaps': listOverlaps(context) } satisfies Partial<Implementations>;
}
