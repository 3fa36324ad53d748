/**
 * Maximum number of rows that the list contains at once. Whenever a row is measured, the list computes the positions of
 * all rows again. With 100 000 rows, that took 40 ms.
 */
export const WINDOW_ROWS = 3_000;

/** The list contains the rows from `start` up to, but not including, `stop`. */
export interface RowWindow {
  start: number;
  stop: number;
}

/**
 * Returns the window of rows that ends before row `stop`, or later if it would otherwise contain fewer than WINDOW_ROWS
 * rows. By default, the window ends at the end of the conversation.
 */
export function windowAt(count: number, stop: number | undefined): RowWindow {
  const last = Math.min(count, Math.max(stop ?? count, Math.min(count, WINDOW_ROWS)));
  return { start: Math.max(0, last - WINDOW_ROWS), stop: last };
}

/**
 * Returns the `stop` of the window whose middle row is `index`; undefined for the window at the end of the
 * conversation.
 */
export function stopAround(count: number, index: number): number | undefined {
  const stop = index + WINDOW_ROWS / 2;
  return stop >= count ? undefined : stop;
}
