/** A worktree with its position on a board, in board units. */
interface Placed {
  id: string;
  x: number | null;
  y: number | null;
}

/** Vertical distance given to worktrees that have no position or the same vertical position. */
const STEP = 100;

/**
 * Returns the changed positions after the worktree at `index` of a column is swapped with its neighbour; empty if there
 * is no neighbour. Worktrees without a position, or with the same vertical position, are spread out first, because
 * swapping them would have no effect.
 */
export function reordered(
  column: readonly Placed[],
  index: number,
  by: 1 | -1,
): { id: string; x: number; y: number }[] {
  const to = index + by;
  if (column[index] === undefined || column[to] === undefined) return [];
  let y = Number.NEGATIVE_INFINITY;
  const spread = column.map((each) => {
    y = each.y !== null && each.y > y ? each.y : (Number.isFinite(y) ? y : 0) + STEP;
    return y;
  });
  const order = column.with(index, column[to]).with(to, column[index]);
  return order.flatMap(({ id, x, y: before }, at) => {
    const place = spread[at] ?? 0;
    return place === before ? [] : [{ id, x: x ?? 0, y: place }];
  });
}
