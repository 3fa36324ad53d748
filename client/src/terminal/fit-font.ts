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
  let size = Math.min(largest, Math.max(smallest, now));
  if (fits(size)) {
    while (size + STEP <= largest && fits(size + STEP)) size += STEP;
  } else {
    while (size > smallest && !fits(size)) size = Math.max(smallest, size - STEP);
  }
  return size;
}
