import type { OverlapFile } from '@agent-console/shared/models/overlap';
import { listNames } from '@agent-console/shared/words';
import type { OverlapRow, SessionRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { addNotice, type ChangeDeps } from '../changes/task-changes.ts';

/** Two worktrees that change the same files. `worktreeId` sorts before `otherWorktreeId`. */
export interface FoundOverlap {
  worktreeId: string;
  otherWorktreeId: string;
  files: OverlapFile[];
}

interface Scope {
  repositoryId: string;
  /**
   * Whether a stored overlap must be removed if the comparison did not find it again. False for worktrees that were not
   * compared.
   */
  isOutdated(row: OverlapRow): boolean;
}

const pairOf = ({ worktreeId, otherWorktreeId }: Pick<FoundOverlap, 'worktreeId' | 'otherWorktreeId'>) => ({
  worktreeId,
  otherWorktreeId,
});
const keyOf = (overlap: Pick<FoundOverlap, 'worktreeId' | 'otherWorktreeId'>) =>
  `${overlap.worktreeId} ${overlap.otherWorktreeId}`;

/**
 * Stores the found overlaps, removes the outdated ones, and notifies the common parent of two sessions once when their
 * worktrees begin to conflict.
 */
export async function storeOverlaps(
  tx: Transaction,
  deps: ChangeDeps,
  { repositoryId, isOutdated }: Scope,
  found: readonly FoundOverlap[],
): Promise<void> {
  const computedAt = deps.now().toISOString();
  const rows = await tx.overlaps.find({ repositoryId });
  const stored = new Map(rows.map((row) => [keyOf(row), row]));
  const remaining = new Set(found.map(keyOf));
  for (const row of rows) {
    if (!isOutdated(row) || remaining.has(keyOf(row))) continue;
    await tx.overlaps.remove({ id: row.id });
    const subject = { kind: 'worktree', id: row.worktreeId } as const;
    await tx.record({ type: 'overlap.resolved', subject, data: pairOf(row) });
  }
  for (const { files, ...pair } of found) {
    const row = stored.get(keyOf(pair));
    const conflicts = files.filter(({ kind }) => kind === 'conflict').length;
    const toldAt = conflicts === 0 ? null : (row?.toldAt ?? (await notifyParent(tx, deps, { ...pair, files })));
    if (row === undefined) {
      const times = { toldAt, computedAt, createdAt: computedAt };
      await tx.overlaps.insert({ id: deps.newId(), repositoryId, ...pair, files, ...times });
    } else await tx.overlaps.update(row.id, { files, toldAt, computedAt });
    if (row !== undefined && JSON.stringify(row.files) === JSON.stringify(files)) continue;
    const subject = { kind: 'worktree', id: pair.worktreeId } as const;
    await tx.record({ type: 'overlap.found', subject, data: { ...pair, conflicts, files: files.length } });
  }
}

/**
 * If sessions in the two worktrees have a common parent, notifies this parent of the conflict and returns the time of
 * the notice. Otherwise returns null.
 */
async function notifyParent(tx: Transaction, deps: ChangeDeps, overlap: FoundOverlap): Promise<string | null> {
  const childrenIn = (worktreeId: string) =>
    tx.sessions.find({ worktreeId, parentSessionId: { not: null }, archivedAt: null, removedAt: null });
  const others = await childrenIn(overlap.otherWorktreeId);
  for (const child of await childrenIn(overlap.worktreeId)) {
    const sibling = others.find(({ parentSessionId }) => parentSessionId === child.parentSessionId);
    if (sibling === undefined || child.parentSessionId === null) continue;
    const notice = { kind: 'conflict', sessionId: child.parentSessionId, aboutSessionId: child.id } as const;
    await addNotice(tx, deps, { ...notice, summary: conflictSummary(sibling, overlap.files), typed: true });
    return deps.now().toISOString();
  }
  return null;
}

function conflictSummary({ id, title }: SessionRow, files: readonly OverlapFile[]): string {
  const paths = files.filter(({ kind }) => kind === 'conflict').map(({ path }) => path);
  return `The session's changes conflict with those of session ${id} "${title}" in ${listNames(paths)}. Integrate the changes of one session first, then update the worktree of the other or have its conflicts resolved.`;
}
