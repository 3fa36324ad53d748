import { OVERLAP_FILES_MAX, OVERLAP_INTERVAL_MS } from '@agent-console/shared/limits/worktrees';
import type { OverlapFile } from '@agent-console/shared/models/overlap';
import type { Git } from '../../ports/git.ts';
import type { Snapshot } from '../../ports/git-comparison.ts';
import type { OverlapRow, RepositoryRow, SessionRow, WorktreeRow } from '../../ports/rows.ts';
import type { Storage, Transaction } from '../../ports/storage.ts';
import { SYSTEM } from '../author.ts';
import { addNotice, type ChangeDeps } from '../task-changes.ts';
import { baseOf } from './base.ts';
import type { WorktreeMaker } from './maker.ts';

/** Compares the files of worktrees with each other, so that conflicts are known before they are integrated. */
export interface Overlaps {
  /**
   * Compares a worktree with the others of its repository if its files changed. Calls that arrive before the comparison
   * has started share it.
   */
  refresh(worktreeId: string): Promise<void>;
  /** Does the same unless the worktree was compared within OVERLAP_INTERVAL_MS. */
  refreshStale(worktreeId: string): Promise<void>;
  /**
   * Compares all worktrees of a repository that were not compared within OVERLAP_INTERVAL_MS, and waits for comparisons
   * in progress.
   */
  refreshAll(repositoryId: string): Promise<void>;
}

interface OverlapsDeps extends ChangeDeps {
  storage: Storage;
  git: Git;
  maker: Pick<WorktreeMaker, 'alone'>;
}

/** The last comparison of a worktree with all others. */
interface Compared {
  /** Identifies what was compared: the commit of the snapshot and the number of changed files. */
  content: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Number of files named in a notice. */
const FILES_IN_NOTICE = 5;

export function createOverlaps({ storage, git, maker, now, newId }: OverlapsDeps): Overlaps {
  const snapshots = new Map<string, Snapshot>();
  const compared = new Map<string, Compared>();
  const queued = new Map<string, Promise<void>>();

  const isStale = (worktreeId: string) => now().getTime() - (compared.get(worktreeId)?.at ?? 0) >= OVERLAP_INTERVAL_MS;

  /** Takes a snapshot. Returns null if the worktree cannot be read, for example because its folder is gone. */
  async function take(repository: RepositoryRow, worktree: WorktreeRow): Promise<Snapshot | null> {
    const base = await baseOf(git, repository, worktree);
    const snapshot = await git.snapshot({ repository, worktree }, base).catch(() => null);
    if (snapshot === null) snapshots.delete(worktree.id);
    else snapshots.set(worktree.id, snapshot);
    return snapshot;
  }

  const known = async (repository: RepositoryRow, worktree: WorktreeRow) =>
    snapshots.get(worktree.id) ?? take(repository, worktree);

  /** Compares two worktrees. Returns the files that both change, conflicts first. */
  async function compare(repository: RepositoryRow, one: WorktreeRow, other: WorktreeRow): Promise<OverlapFile[]> {
    const [ours, theirs] = [await known(repository, one), await known(repository, other)];
    if (ours === null || theirs === null) return [];
    const changed = new Set(ours.files);
    const both = theirs.files.filter((path) => changed.has(path));
    if (both.length === 0) return [];
    let conflicts = await git.conflictsBetween(repository, ours, theirs);
    if (conflicts === null) {
      const fresh = [await take(repository, one), await take(repository, other)] as const;
      if (fresh[0] === null || fresh[1] === null) return [];
      conflicts = (await git.conflictsBetween(repository, fresh[0], fresh[1])) ?? [];
    }
    const inConflict = new Set(conflicts);
    return [
      ...conflicts.map((path) => ({ path, kind: 'conflict' as const })),
      ...both.filter((path) => !inConflict.has(path)).map((path) => ({ path, kind: 'both-changed' as const })),
    ].slice(0, OVERLAP_FILES_MAX);
  }

  async function compareWithOthers(worktreeId: string): Promise<void> {
    const { read } = storage;
    const worktree = await read.worktrees.get(worktreeId);
    const repository = worktree && (await read.repositories.get(worktree.repositoryId));
    if (worktree === undefined || repository === undefined || repository.removedAt !== null) return;
    const isLive = worktree.state === 'ready' && worktree.kind !== 'main';
    const before = compared.get(worktreeId)?.content;
    const snapshot = isLive ? await take(repository, worktree) : null;
    // The number of files changes without a new commit when the base comes to contain the work.
    const content = snapshot === null ? '' : `${snapshot.commit} ${snapshot.files.length}`;
    compared.set(worktreeId, { content, at: now().getTime() });
    if (snapshot === null) snapshots.delete(worktreeId);
    if (before === content) return;
    const found = new Map<string, OverlapFile[]>();
    if (snapshot !== null && snapshot.files.length > 0) {
      const others = await read.worktrees.find({ repositoryId: repository.id, state: 'ready', kind: { not: 'main' } });
      for (const other of others) {
        const files = other.id === worktreeId ? [] : await compare(repository, worktree, other);
        if (files.length > 0) found.set(other.id, files);
      }
    }
    await storage.write(SYSTEM, (tx) => storeOverlaps(tx, worktree, found));
  }

  async function storeOverlaps(
    tx: Transaction,
    { id, repositoryId }: WorktreeRow,
    found: ReadonlyMap<string, OverlapFile[]>,
  ): Promise<void> {
    const computedAt = now().toISOString();
    const rows = [
      ...(await tx.overlaps.find({ worktreeId: id })),
      ...(await tx.overlaps.find({ otherWorktreeId: id })),
    ];
    const stored = new Map(rows.map((row) => [row.worktreeId === id ? row.otherWorktreeId : row.worktreeId, row]));
    for (const [otherId, row] of stored) {
      if (found.has(otherId)) continue;
      await tx.overlaps.remove({ id: row.id });
      await tx.record({ type: 'overlap.resolved', subject: { kind: 'worktree', id }, data: pairOf(row) });
    }
    for (const [otherId, files] of found) {
      const row = stored.get(otherId);
      const [worktreeId, otherWorktreeId] = id < otherId ? [id, otherId] : [otherId, id];
      const conflicts = files.filter(({ kind }) => kind === 'conflict').length;
      const toldAt = conflicts === 0 ? null : (row?.toldAt ?? (await tell(tx, worktreeId, otherWorktreeId, files)));
      if (row === undefined) {
        const pair = { repositoryId, worktreeId, otherWorktreeId };
        await tx.overlaps.insert({ id: newId(), ...pair, files, toldAt, computedAt, createdAt: computedAt });
      } else await tx.overlaps.update(row.id, { files, toldAt, computedAt });
      if (row !== undefined && JSON.stringify(row.files) === JSON.stringify(files)) continue;
      const data = { worktreeId, otherWorktreeId, conflicts, files: files.length };
      await tx.record({ type: 'overlap.found', subject: { kind: 'worktree', id }, data });
    }
  }

  /** Notifies the parent of both worktrees' sessions of a conflict between them. Returns the time, or null. */
  async function tell(tx: Transaction, one: string, other: string, files: OverlapFile[]): Promise<string | null> {
    const childrenIn = (worktreeId: string) =>
      tx.sessions.find({ worktreeId, parentSessionId: { not: null }, archivedAt: null, removedAt: null });
    const others = await childrenIn(other);
    for (const child of await childrenIn(one)) {
      const sibling = others.find(({ parentSessionId }) => parentSessionId === child.parentSessionId);
      if (sibling === undefined || child.parentSessionId === null) continue;
      const notice = { kind: 'conflict', sessionId: child.parentSessionId, aboutSessionId: child.id } as const;
      await addNotice(tx, { now, newId }, { ...notice, summary: conflictSummary(sibling, files), typed: true });
      return now().toISOString();
    }
    return null;
  }

  return {
    refresh(worktreeId) {
      const known = queued.get(worktreeId);
      if (known !== undefined) return known;
      const run = async () => {
        const worktree = await storage.read.worktrees.get(worktreeId);
        if (worktree === undefined) return;
        await maker.alone(`overlaps ${worktree.repositoryId}`, () => {
          queued.delete(worktreeId);
          return compareWithOthers(worktreeId);
        });
      };
      const done = run().finally(() => queued.delete(worktreeId));
      queued.set(worktreeId, done);
      return done;
    },
    async refreshAll(repositoryId) {
      const rows = await storage.read.worktrees.find({ repositoryId, state: 'ready', kind: { not: 'main' } });
      for (const { id } of rows) if (isStale(id)) await this.refresh(id);
      // A comparison that has begun stores its result before the next one begins.
      await maker.alone(`overlaps ${repositoryId}`, async () => undefined);
    },
    async refreshStale(worktreeId) {
      if (isStale(worktreeId)) await this.refresh(worktreeId);
    },
  };
}

function pairOf({ worktreeId, otherWorktreeId }: OverlapRow) {
  return { worktreeId, otherWorktreeId };
}

function conflictSummary({ id, title }: SessionRow, files: readonly OverlapFile[]): string {
  const paths = files.filter(({ kind }) => kind === 'conflict').map(({ path }) => path);
  const more = paths.length > FILES_IN_NOTICE ? ` and ${paths.length - FILES_IN_NOTICE} more` : '';
  return `Its changes conflict with those of session ${id} "${title}" in ${paths.slice(0, FILES_IN_NOTICE).join(', ')}${more}. Integrate one of them first, then have the other one updated or its conflicts resolved.`;
}
