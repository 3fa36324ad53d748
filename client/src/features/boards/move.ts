import type { Board } from '@agent-console/shared/models/board';
import type { Worktree } from '@agent-console/shared/models/worktree';
import type { Page } from '@agent-console/shared/page';
import type { QueryKey } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { operationKey } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { failureToast } from '../../ui/toasts.ts';
import { byPlace, inserted, reordered } from './reorder.ts';

/** Distance of the first worktree of a zone from the edges of the zone, in board units. */
const MARGIN = 24;

/**
 * Moves a worktree to a zone or out of all zones, above the worktree `before` or, by default, to the end. The board
 * shows the move before the console confirms it.
 */
export async function moveWorktree(
  worktreeId: string,
  { id: boardId, zones }: Pick<Board, 'id' | 'zones'>,
  zoneId: string | null,
  before?: string,
): Promise<void> {
  const queryKey = operationKey('boards.worktrees', boardQuery(boardId));
  const zone = zones.find(({ id }) => id === zoneId);
  const column = (queryClient.getQueryData<Page<Worktree>>(queryKey)?.data ?? [])
    .filter((each) => each.id !== worktreeId && zones.find(({ id }) => id === each.zoneId) === zone)
    .sort(byPlace);
  const index = column.findIndex(({ id }) => id === before);
  const top = { x: (zone?.x ?? 0) + MARGIN, y: (zone?.y ?? 0) + MARGIN };
  const moves = inserted(column, index < 0 ? column.length : index, worktreeId, top);
  const onBoard = (id: string) => (id === worktreeId ? { boardId, zoneId } : {});
  await moveAll(
    queryKey,
    moves.map((move) => ({ ...move, ...onBoard(move.id) })),
    'Could not place the worktree on the board',
  );
}

type Move = { id: string; x: number; y: number; boardId?: string; zoneId?: string | null };

/** Shows the new positions of worktrees at once, and then sends them to the console. */
async function moveAll(queryKey: QueryKey, moves: readonly Move[], failed: string): Promise<void> {
  const placed = new Map(moves.map(({ id, ...place }) => [id, place]));
  queryClient.setQueryData<Page<Worktree>>(
    queryKey,
    (now) => now && { ...now, data: now.data.map((each) => ({ ...each, ...placed.get(each.id) })) },
  );
  try {
    for (const { id, ...place } of moves) await call('worktrees.update', { worktreeId: id, ...place });
  } catch (error) {
    failureToast(failed)(error as Error);
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
  if (moves.length > 0) await moveAll(queryKey, moves, 'Could not move the worktree on the board');
}

export async function removeFromBoard(worktreeId: string): Promise<void> {
  await call('worktrees.update', { worktreeId, boardId: null }).catch(
    failureToast('Could not remove the worktree from the board'),
  );
}

export function boardQuery(boardId: string) {
  return { boardId, limit: 500 } as const;
}
