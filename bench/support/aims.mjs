import { median } from './stats.mjs';

/**
 * @typedef {{text: string, holds: (ours: readonly number[], limit: readonly number[]) => boolean}} Aim What the values
 * of a row (`ours`) must fulfill. `limit` has the values of what the row is compared with, measured in the same run of
 * the bench.
 */

/**
 * Requires that our median is at most `factor` times the median of `limit`, plus `extra` in the row's unit.
 * @returns {Aim}
 */
export function atMost(factor, extra = 0) {
  const more = extra === 0 ? '' : ` + ${extra}`;
  return {
    text: `≤ ${factor} × limit${more}`,
    holds: (ours, limit) => median(ours) <= factor * median(limit) + extra,
  };
}

/** Requires that our median is at least `factor` times the median of `limit`. @returns {Aim} */
export function atLeast(factor) {
  return { text: `≥ ${factor} × limit`, holds: (ours, limit) => median(ours) >= factor * median(limit) };
}

/** Requires that our median is at most `most`, whatever the values of `limit` are. @returns {Aim} */
export function medianAtMost(most) {
  return { text: `≤ ${most}`, holds: (ours) => median(ours) <= most };
}

/** Requires that our median is at least `least`, whatever the values of `limit` are. @returns {Aim} */
export function medianAtLeast(least) {
  return { text: `≥ ${least}`, holds: (ours) => median(ours) >= least };
}

/** Requires that a row meets all of these aims. @param {...Aim} aims @returns {Aim} */
export function allOf(...aims) {
  return {
    text: aims.map((aim) => aim.text).join(', '),
    holds: (ours, limit) => aims.every((aim) => aim.holds(ours, limit)),
  };
}

/** Requires that a row meets at least one of these aims. @param {...Aim} aims @returns {Aim} */
export function anyOf(...aims) {
  return {
    text: aims.map((aim) => aim.text).join(' or '),
    holds: (ours, limit) => aims.some((aim) => aim.holds(ours, limit)),
  };
}

/** Requires that each of our values is at most `most`, whatever the values of `limit` are. @returns {Aim} */
export function never(most) {
  return { text: most === 0 ? 'none' : `≤ ${most}`, holds: (ours) => Math.max(...ours) <= most };
}
