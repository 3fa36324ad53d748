import type { Board } from '@agent-console/shared/models/board';
import type { Worktree } from '@agent-console/shared/models/worktree';
import type { Page } from '@agent-console/shared/page';
import { call } from '../../api/call.ts';
import { operationKey } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { failureToast } from '../../ui/toasts.ts';
import { reordered } from './reorder.ts';

/** Distance of a moved worktree from the edges of its zone, and from the worktree above it, in board units. */
const MARGIN = 24;
const BELOW = 100;

/**
 * Moves a worktree to the end of a zone, or onto the board outside all zones. The board shows the move before the
 * console confirms it.
 */
export async function moveWorktree(
  worktreeId: string,
  { id: boardId, zones }: Pick<Board, 'id' | 'zones'>,
  zoneId: string | null,
): Promise<void> {
  const queryKey = operationKey('boards.worktrees', boardQuery(boardId));
  const page = queryClient.getQueryData<Page<Worktree>>(queryKey);
  const zone = zones.find(({ id }) => id === zoneId);
  const lowest = Math.max(
    (zone?.y ?? 0) + MARGIN - BELOW,
    ...(page?.data ?? []).filter((each) => each.zoneId === zoneId && each.id !== worktreeId).map(({ y }) => y ?? 0),
  );
  const position = { x: (zone?.x ?? 0) + MARGIN, y: lowest + BELOW };
  queryClient.setQueryData<Page<Worktree>>(
    queryKey,
    (now) =>
      now && {
        ...now,
        data: now.data.map((each) => (each.id === worktreeId ? { ...each, boardId, zoneId, ...position } : each)),
      },
  );
  try {
    await call('worktrees.update', { worktreeId, boardId, zoneId, ...position });
  } catch (error) {
    failureToast('Could not move the worktree')(error as Error);
  } finally {
    void queryClient.invalidateQueries({ predicate: ({ queryKey: [name] }) => String(name).startsWith('boards.') });
  }
}

/**
 * Moves a worktree up or down in its column by swapping it with its neighbour.
 * @param column ids of the worktrees of the column, from top to bottom
 */
export async function reorderWorktree(
  worktreeId: string,
  boardId: string,
  column: readonly string[],
  by: 1 | -1,
): Promise<void> {
  const queryKey = operationKey('boards.worktrees', boardQuery(boardId));
  const worktrees = new Map(
    queryClient.getQueryData<Page<Worktree>>(queryKey)?.data.map((each) => [each.id, each]) ?? [],
  );
  const moves = reordered(
    column.flatMap((id) => worktrees.get(id) ?? []),
    column.indexOf(worktreeId),
    by,
  );
  if (moves.length === 0) return;
  const placed = new Map(moves.map(({ id, ...position }) => [id, position]));
  queryClient.setQueryData<Page<Worktree>>(
    queryKey,
    (now) => now && { ...now, data: now.data.map((each) => ({ ...each, ...placed.get(each.id) })) },
  );
  try {
    for (const { id, ...position } of moves) await call('worktrees.update', { worktreeId: id, ...position });
  } catch (error) {
    failureToast('Could not move the card')(error as Error);
  } finally {
    void queryClient.invalidateQueries({ predicate: ({ queryKey: [name] }) => String(name).startsWith('boards.') });
  }
}

export async function takeOffBoard(worktreeId: string): Promise<void> {
  await call('worktrees.update', { worktreeId, boardId: null }).catch(
    failureToast('Could not take the worktree off the board'),
  );
}

/** Returns the input of the query for all worktrees of a board. */
export function boardQuery(boardId: string) {
  return { boardId, limit: 500 } as const;
}
