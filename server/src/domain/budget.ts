import { SECOND } from '@agent-console/shared/limits/units';
import type { Budget, BudgetLimit, BudgetUse } from '@agent-console/shared/models/budget';

/** Part of a limit after whose use the creator is told. */
const WARN_AT = 0.8;

const LIMITS: readonly BudgetLimit[] = ['wallSeconds', 'agents', 'tokens', 'money'];

/** What of a limit is used. Agents without a cost have cost nothing that is known. */
export function usedOf(use: BudgetUse, limit: BudgetLimit): number {
  return use[limit] ?? 0;
}

/** Returns the limits of which nothing is left. Nothing new may start then. */
export function usedUp(budget: Budget, use: BudgetUse): BudgetLimit[] {
  return LIMITS.filter((limit) => usedOf(use, limit) >= (budget[limit] ?? Number.POSITIVE_INFINITY));
}

/**
 * Returns the limits that end work in progress. The number of agents does not: agents that may still start nothing can
 * finish what they do.
 */
export function exhausted(budget: Budget, use: BudgetUse): BudgetLimit[] {
  return usedUp(budget, use).filter((limit) => limit !== 'agents');
}

/** Returns the limits of which most is used and that are not in `warned` yet. */
export function nearlyUsed(budget: Budget, use: BudgetUse, warned: readonly BudgetLimit[]): BudgetLimit[] {
  return LIMITS.filter((limit) => {
    const allowed = budget[limit];
    return allowed !== undefined && !warned.includes(limit) && usedOf(use, limit) >= WARN_AT * allowed;
  });
}

/** Returns the time in milliseconds until the next threshold of the wall time; null if there is none. */
export function untilWallThreshold(budget: Budget | null, use: BudgetUse): number | null {
  const allowed = budget?.wallSeconds;
  if (allowed === undefined || use.wallSeconds >= allowed) return null;
  const next = use.wallSeconds < WARN_AT * allowed ? WARN_AT * allowed : allowed;
  return Math.ceil((next - use.wallSeconds) * SECOND);
}

/** Returns how much further a limit is raised if a person names no amount: by as much as it was. */
export function defaultRaise(budget: Budget, limit: BudgetLimit): number {
  return budget[limit] ?? 1;
}

/**
 * Returns the budget after a person allowed these amounts more, counted from what is used. Otherwise a small amount
 * would allow nothing after a limit was exceeded by far.
 */
export function raised(
  budget: Budget,
  use: BudgetUse,
  more: Readonly<Partial<Record<BudgetLimit, number>>>,
): { budget: Budget; limits: BudgetLimit[] } {
  const limits = LIMITS.filter((limit) => budget[limit] !== undefined && (more[limit] ?? 0) > 0);
  const changed = limits.map((limit): [BudgetLimit, number] => {
    const sum = Math.max(budget[limit] ?? 0, usedOf(use, limit)) + (more[limit] ?? 0);
    return [limit, limit === 'money' || limit === 'wallSeconds' ? Math.ceil(sum * 100) / 100 : Math.ceil(sum)];
  });
  return { budget: { ...budget, ...Object.fromEntries(changed) }, limits };
}

/** Returns the union of these time spans in seconds. Spans are in milliseconds since the epoch. */
export function secondsCovered(spans: readonly { from: number; to: number }[]): number {
  let covered = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    covered += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return covered / SECOND;
}

/** Describes a limit and its use, such as `1200 of 1000 tokens`. */
export function describeUse(limit: BudgetLimit, budget: Budget, use: BudgetUse): string {
  const used = usedOf(use, limit);
  const allowed = budget[limit] ?? 0;
  switch (limit) {
    case 'wallSeconds':
      return `${Math.floor(used)} of ${allowed} s`;
    case 'money':
      return `${used.toFixed(2)} of ${allowed.toFixed(2)} US dollars`;
    case 'agents':
    case 'tokens':
      return `${used} of ${allowed} ${limit}`;
  }
}
