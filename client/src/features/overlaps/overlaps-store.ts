import type { Overlap } from '@agent-console/shared/models/overlap';
import type { Session } from '@agent-console/shared/models/session';
import { useMemo } from 'react';
import { create } from 'zustand';

const NONE: readonly Overlap[] = [];

/** Pairs of worktrees that change the same files, by repository id. */
export const useOverlapStore = create<Readonly<Record<string, readonly Overlap[]>>>(() => ({}));

/** Returns the overlaps of a session's worktree, conflicts first. */
export function useOverlapsOf({ repositoryId, worktreeId }: Pick<Session, 'repositoryId' | 'worktreeId'>) {
  const all = useOverlapStore((state) => state[repositoryId ?? ''] ?? NONE);
  return useMemo(() => overlapsOf(all, worktreeId), [all, worktreeId]);
}

export function overlapsOf(all: readonly Overlap[], worktreeId: string | null): readonly Overlap[] {
  if (worktreeId === null || all.length === 0) return NONE;
  return all.filter(({ worktreeIds }) => worktreeIds.includes(worktreeId));
}

export function hasConflict({ files }: Overlap): boolean {
  return files.some(({ kind }) => kind === 'conflict');
}
