/** A worktree with its place on a board, in board units. */
interface Placed {
  id: string;
  x: number | null;
  y: number | null;
}

/** Distance of two worktrees without places of their own. */
const STEP = 100;

/**
 * Returns the places to change so that the worktree at `index` of a column changes places with its neighbour. Nothing if
 * there is no neighbour. Worktrees at the same height, or without a place, are spread out first, because changing places
 * would have no effect.
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
