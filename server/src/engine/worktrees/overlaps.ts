import { ConsoleError } from '@agent-console/shared/errors';
import { OVERLAP_FILES_MAX, OVERLAP_INTERVAL_MS, OVERLAPS_AT_ONCE } from '@agent-console/shared/limits/worktrees';
import type { OverlapFile } from '@agent-console/shared/models/overlap';
import { Semaphore } from 'async-mutex';
import type { Git } from '../../ports/git.ts';
import type { Snapshot } from '../../ports/git-comparison.ts';
import type { OverlapRow, RepositoryRow, WorktreeRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { baseOf } from './base.ts';
import { refreshGitStatus } from './git-status.ts';
import type { WorktreeMaker } from './maker.ts';
import { type FoundOverlap, storeOverlaps } from './stored-overlaps.ts';

/** Compares the files of worktrees with each other, so that conflicts are known before the worktrees are integrated. */
export interface Overlaps {
  /**
   * Compares a worktree whose git status was just stored with the other worktrees of its repository. Does nothing if
   * its files are the same as in the last comparison. Calls that arrive before the comparison has started share it.
   */
  refresh(worktreeId: string): Promise<void>;
  /**
   * Stores the git status of a worktree and compares the worktree with the others. Does nothing if the worktree was
   * compared in the last OVERLAP_INTERVAL_MS.
   */
  refreshStale(worktreeId: string): Promise<void>;
  /**
   * Compares the changed worktrees of a repository, except those compared in the last OVERLAP_INTERVAL_MS, and waits
   * for comparisons in progress.
   */
  refreshAll(repositoryId: string): Promise<void>;
}

interface OverlapsDeps extends ChangeDeps {
  storage: Storage;
  git: Git;
  maker: Pick<WorktreeMaker, 'alone'>;
}

/** What this server has read of a worktree. Missing for a worktree that was not read since the start of the server. */
interface Known {
  /** Null if the worktree has no changes, or cannot be read, for example because its folder is gone. */
  snapshot: Snapshot | null;
  /**
   * Time of the last comparison that was requested for this worktree, in milliseconds since the epoch; 0 if there was
   * none.
   */
  at: number;
  /** Result of `contentOf` for the snapshot that was last compared with all other worktrees; null if there was none. */
  compared: string | null;
}

/** A queued comparison of the worktrees of a repository. */
interface Batch {
  worktreeIds: Set<string>;
  /** Whether to compare all worktrees that were not compared in the last OVERLAP_INTERVAL_MS. */
  includesStale: boolean;
  done: Promise<void>;
}

export function createOverlaps({ storage, git, maker, now, newId }: OverlapsDeps): Overlaps {
  /** What this server has read of worktrees, by repository id, then by worktree id. */
  const repositories = new Map<string, Map<string, Known>>();
  const waiting = new Map<string, Batch>();
  const turns = new Semaphore(OVERLAPS_AT_ONCE);

  const isStale = (known: Known | undefined) => now().getTime() - (known?.at ?? 0) >= OVERLAP_INTERVAL_MS;
  /** Runs `work` for each item, OVERLAPS_AT_ONCE at a time. */
  const forEach = <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> =>
    Promise.all(items.map((item) => turns.runExclusive(() => work(item))));

  /** Returns the queued comparison of a repository. If no comparison is queued, queues one. */
  function nextBatch(repositoryId: string): Batch {
    const next = waiting.get(repositoryId);
    if (next !== undefined) return next;
    const batch: Batch = { worktreeIds: new Set(), includesStale: false, done: Promise.resolve() };
    waiting.set(repositoryId, batch);
    batch.done = maker.alone(`overlaps ${repositoryId}`, async () => {
      waiting.delete(repositoryId);
      const repository = await storage.read.repositories.get(repositoryId);
      if (repository === undefined || repository.removedAt !== null) repositories.delete(repositoryId);
      else await run(repository, batch);
    });
    return batch;
  }

  async function run(repository: RepositoryRow, batch: Batch): Promise<void> {
    const all = repositories.get(repository.id) ?? new Map<string, Known>();
    repositories.set(repository.id, all);
    const isLive = { repositoryId: repository.id, state: 'ready', kind: { not: 'main' } } as const;
    const live = await storage.read.worktrees.find(isLive);
    const liveIds = new Set(live.map(({ id }) => id));
    for (const id of all.keys()) if (!liveIds.has(id)) all.delete(id);
    const stored = await storage.read.overlaps.find({ repositoryId: repository.id });
    const inOverlaps = new Set(stored.flatMap((row) => [row.worktreeId, row.otherWorktreeId]));
    const relevant = batch.includesStale ? live : withChanges(live, all, batch.worktreeIds, inOverlaps);
    const isDue = ({ id }: WorktreeRow) => batch.worktreeIds.has(id) || (batch.includesStale && isStale(all.get(id)));
    const needed = relevant.filter((row) => isDue(row) || (!batch.includesStale && !all.get(row.id)?.snapshot));
    // Only a worktree that is due for a comparison gets a new comparison time. If another worktree got one, its next
    // comparison would be skipped.
    await forEach(needed, (worktree) => updateSnapshot(repository, worktree, all, isDue(worktree)));
    for (const row of live) {
      if (!batch.worktreeIds.has(row.id) || relevant.includes(row)) continue;
      all.set(row.id, { snapshot: null, at: 0, compared: all.get(row.id)?.compared ?? null });
    }
    // A worktree that was not read since the start of the server does not count as changed: its stored overlaps still
    // apply.
    const changed = live.filter(({ id }) => all.has(id) && all.get(id)?.compared !== contentOf(all.get(id)));
    const changedIds = new Set(changed.map(({ id }) => id));
    const pairs = pairsOf(live, all, changedIds);
    const found = await forEach(pairs, (pair) => compare(repository, pair, all));
    const hasChanges = (id: string) => !all.has(id) || (all.get(id)?.snapshot?.files.length ?? 0) > 0;
    const isOutdated = ({ worktreeId, otherWorktreeId }: OverlapRow) => {
      const pair = [worktreeId, otherWorktreeId];
      if (!pair.every((id) => liveIds.has(id) && hasChanges(id))) return true;
      return pair.every((id) => all.has(id)) && pair.some((id) => changedIds.has(id));
    };
    if (changed.length > 0 || stored.some(isOutdated)) {
      const scope = { repositoryId: repository.id, isOutdated };
      await storage.write(SYSTEM, (tx) => storeOverlaps(tx, { now, newId }, scope, found));
    }
    for (const id of changedIds) {
      const known = all.get(id);
      if (known !== undefined) known.compared = contentOf(known);
    }
  }

  /**
   * Takes a snapshot unless nothing has changed since the last one. If git fails, keeps the last snapshot. If the
   * worktree is gone, deletes the last snapshot.
   */
  async function updateSnapshot(
    repository: RepositoryRow,
    worktree: WorktreeRow,
    all: Map<string, Known>,
    isDue: boolean,
  ): Promise<void> {
    const last = all.get(worktree.id) ?? { snapshot: null, compared: null, at: 0 };
    const at = isDue ? now().getTime() : last.at;
    try {
      const base = await baseOf(git, repository, worktree);
      const snapshot = await git.snapshot({ repository, worktree }, base, last.snapshot);
      all.set(worktree.id, { ...last, snapshot, at });
    } catch (error) {
      const isGone = error instanceof ConsoleError && error.code === 'NOT_FOUND';
      if (isGone || all.has(worktree.id)) all.set(worktree.id, { ...last, ...(isGone ? { snapshot: null } : {}), at });
    }
  }

  /** Compares two worktrees that change the same files. In the list of files, conflicts come first. */
  async function compare(repository: RepositoryRow, pair: Pair, all: Map<string, Known>): Promise<FoundOverlap> {
    const { one, other } = pair;
    let conflicts = await conflictsBetween(repository, all.get(one.id), all.get(other.id));
    if (conflicts === null) {
      // The git object store that contained one of the snapshots was replaced, so both snapshots are taken again.
      for (const each of [one, other]) await updateSnapshot(repository, each, all, false);
      conflicts = await conflictsBetween(repository, all.get(one.id), all.get(other.id));
    }
    const inConflict = new Set(conflicts ?? []);
    const files: OverlapFile[] = [
      ...[...inConflict].map((path) => ({ path, kind: 'conflict' as const })),
      ...pair.files.filter((path) => !inConflict.has(path)).map((path) => ({ path, kind: 'both-changed' as const })),
    ].slice(0, OVERLAP_FILES_MAX);
    return { worktreeId: one.id, otherWorktreeId: other.id, files };
  }

  async function conflictsBetween(repository: RepositoryRow, one: Known | undefined, other: Known | undefined) {
    if (!one?.snapshot || !other?.snapshot) return [];
    return git.conflictsBetween(repository, one.snapshot, other.snapshot);
  }

  async function refresh(worktreeId: string): Promise<void> {
    const worktree = await storage.read.worktrees.get(worktreeId);
    if (worktree === undefined) return;
    const batch = nextBatch(worktree.repositoryId);
    batch.worktreeIds.add(worktreeId);
    await batch.done;
  }

  return {
    refresh,
    async refreshStale(worktreeId) {
      const worktree = await storage.read.worktrees.get(worktreeId);
      if (worktree === undefined) return;
      if (!isStale(repositories.get(worktree.repositoryId)?.get(worktreeId))) return;
      await refreshGitStatus({ storage, git, now }, worktreeId);
      await refresh(worktreeId);
    },
    async refreshAll(repositoryId) {
      const batch = nextBatch(repositoryId);
      batch.includesStale = true;
      await batch.done;
    },
  };
}

/**
 * Returns the worktrees that may have changes: according to the last snapshot or, for a worktree in `current` or
 * without a snapshot, to the stored git status. A worktree that was not read since the start of the server is included
 * if it has a stored overlap, because its stored git status may be outdated.
 *
 * Returns an empty list if there is nothing to compare: fewer than two worktrees, or none in `current`.
 * @param current ids of worktrees whose git status was just stored
 * @param inOverlaps ids of worktrees with a stored overlap
 */
function withChanges(
  worktrees: readonly WorktreeRow[],
  all: ReadonlyMap<string, Known>,
  current: ReadonlySet<string>,
  inOverlaps: ReadonlySet<string>,
): readonly WorktreeRow[] {
  const found = worktrees.filter(({ id, gitStatus }) => {
    const snapshot = current.has(id) ? null : all.get(id)?.snapshot;
    if (snapshot) return snapshot.files.length > 0;
    if (!current.has(id) && !all.has(id) && inOverlaps.has(id)) return true;
    return gitStatus === null || gitStatus.dirtyFiles > 0 || gitStatus.ahead > 0;
  });
  return found.length > 1 && found.some(({ id }) => current.has(id)) ? found : [];
}

/**
 * Returns a key that changes when the changes of a worktree must be compared again. The number of changed files is part
 * of the key, because it changes without a new commit when the base receives the worktree's changes.
 */
function contentOf(known: Known | undefined): string {
  const snapshot = known?.snapshot ?? null;
  return snapshot === null ? '' : `${snapshot.commit} ${snapshot.files.length}`;
}

/** Two worktrees that change the same files. The id of `one` sorts before that of `other`. */
interface Pair {
  one: WorktreeRow;
  other: WorktreeRow;
  files: string[];
}

/** Finds the pairs of worktrees that change the same files, if at least one of the two is in `changedIds`. */
function pairsOf(
  worktrees: readonly WorktreeRow[],
  all: ReadonlyMap<string, Known>,
  changedIds: ReadonlySet<string>,
): Pair[] {
  const sorted = [...worktrees].sort((one, other) => (one.id < other.id ? -1 : 1));
  const byFile = new Map<string, WorktreeRow[]>();
  const pairs = new Map<string, Pair>();
  for (const other of sorted) {
    for (const file of all.get(other.id)?.snapshot?.files ?? []) {
      const earlier = byFile.get(file) ?? [];
      for (const one of earlier) {
        if (!changedIds.has(one.id) && !changedIds.has(other.id)) continue;
        const key = `${one.id} ${other.id}`;
        const pair = pairs.get(key) ?? { one, other, files: [] };
        pair.files.push(file);
        pairs.set(key, pair);
      }
      earlier.push(other);
      byFile.set(file, earlier);
    }
  }
  return [...pairs.values()];
}
