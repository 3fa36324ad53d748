/** A worktree with its position on a board, in board units. */
interface Placed {
  id: string;
  x: number | null;
  y: number | null;
}

interface Move {
  id: string;
  x: number;
  y: number;
}

/** Vertical distance, in board units, between cards that get new positions. */
const STEP = 100;

/** Compares two worktrees, to sort a column from top to bottom. Worktrees that were never positioned come last. */
export function byPlace(a: Placed, b: Placed): number {
  return place(a.y) - place(b.y) || place(a.x) - place(b.x);
}

function place(coordinate: number | null): number {
  return coordinate ?? Number.MAX_SAFE_INTEGER;
}

/**
 * Returns the changed positions after the worktree at `index` of a column is swapped with its neighbour; empty if there
 * is no neighbour. Missing and equal vertical positions are replaced by different ones first, because swapping equal
 * positions would have no effect.
 */
export function reordered(column: readonly Placed[], index: number, by: 1 | -1): Move[] {
  const to = index + by;
  if (column[index] === undefined || column[to] === undefined) return [];
  const spread = spreadOut(column.map(({ y }) => y));
  const order = column.with(index, column[to]).with(to, column[index]);
  return order.flatMap(({ id, x, y: before }, at) => {
    const y = spread[at] ?? 0;
    return y === before ? [] : [{ id, x: x ?? 0, y }];
  });
}

/**
 * Returns the positions that change when a worktree is inserted into a column at `index`. The worktrees below it move
 * down only if there is no gap for it.
 * @param column the column without the worktree
 * @param top position of the worktree if the column is empty; otherwise, only its `x` is used
 */
export function inserted(column: readonly Placed[], index: number, id: string, top: { x: number; y: number }): Move[] {
  const above = column[index - 1]?.y ?? null;
  const below = column[index]?.y ?? null;
  const between = above !== null && below !== null ? (above + below) / 2 : null;
  const y = between ?? (below !== null && index === 0 ? below - STEP : above !== null ? above + STEP : null);
  const order: readonly Placed[] = column.toSpliced(index, 0, { id, x: top.x, y: column.length === 0 ? top.y : y });
  const spread = spreadOut(order.map((each) => each.y));
  return order.flatMap((each, at) => {
    const to = spread[at] ?? 0;
    return each.id !== id && to === each.y ? [] : [{ id: each.id, x: each.x ?? top.x, y: to }];
  });
}

/**
 * Returns increasing vertical positions: keeps a position that is greater than the one before it, and replaces any
 * other.
 */
function spreadOut(positions: readonly (number | null)[]): number[] {
  let last = Number.NEGATIVE_INFINITY;
  return positions.map((y) => {
    last = y !== null && y > last ? y : (Number.isFinite(last) ? last : 0) + STEP;
    return last;
  });
}
