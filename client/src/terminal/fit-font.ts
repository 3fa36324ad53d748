/** Rendered size in pixels. */
export interface Dimensions {
  width: number;
  height: number;
}

const STEP = 0.5;

/**
 * Returns the largest font size, in steps of half a pixel, at which a screen fits into a box, or `smallest` if none
 * does. Characters are rendered in whole pixels, so sizes must be tried and cannot be calculated.
 * @param drawn returns the size of the screen at a font size
 */
export function fontToFit(
  box: Dimensions,
  { now, smallest, largest }: { now: number; smallest: number; largest: number },
  drawn: (fontSize: number) => Dimensions,
): number {
  const fits = (size: number) => {
    const { width, height } = drawn(size);
    return width <= box.width && height <= box.height;
  };
  const inRange = (size: number) => Math.min(largest, Math.max(smallest, size));
  const first = inRange(now);
  const { width, height } = drawn(first);
  // The size of a terminal is nearly proportional to its font size. The search therefore begins with an estimate.
  const share = width > 0 && height > 0 ? Math.min(box.width / width, box.height / height) : 1;
  let size = inRange(Math.floor((first * share) / STEP) * STEP);
  if (fits(size)) {
    while (size + STEP <= largest && fits(size + STEP)) size += STEP;
  } else {
    while (size > smallest && !fits(size)) size = Math.max(smallest, size - STEP);
  }
  return size;
}
