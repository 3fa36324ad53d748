/** @param {readonly number[]} values any order, not empty */
export function median(values) {
  return percentile(values, 0.5);
}

/**
 * @param {readonly number[]} values any order, not empty
 * @param {number} share 0 to 1; interpolates linearly between two values
 */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at - Math.floor(at));
}

/** Formats a number with about three significant digits. @param {number} value */
export function short(value) {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 3));
}

/** Formats repeated measurements as `median [min-max]`; a single measurement has no range. */
export function spread(values) {
  if (values.length === 0) return '-';
  if (values.length === 1) return short(values[0]);
  return `${short(median(values))} [${short(Math.min(...values))}-${short(Math.max(...values))}]`;
}
