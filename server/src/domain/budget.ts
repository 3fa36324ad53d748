import { SECOND } from '@agent-console/shared/limits/units';
import type { Budget, BudgetLimit, BudgetUse } from '@agent-console/shared/models/budget';

/** Fraction of a limit at which the creator of the session or orchestration is notified. */
const WARN_AT = 0.8;

const LIMITS: readonly BudgetLimit[] = ['wallSeconds', 'agents', 'tokens', 'money'];

/** Returns the used amount of a limit; 0 if it is unknown, e.g. if no agent reports its cost. */
export function usedOf(use: BudgetUse, limit: BudgetLimit): number {
  return use[limit] ?? 0;
}

/** Returns the limits that are used up. As long as any limit is used up, no new session may start. */
export function usedUp(budget: Budget, use: BudgetUse): BudgetLimit[] {
  return LIMITS.filter((limit) => usedOf(use, limit) >= (budget[limit] ?? Number.POSITIVE_INFINITY));
}

/** Returns the used-up limits that pause running work. A used-up limit on agents only prevents new agents. */
export function exhausted(budget: Budget, use: BudgetUse): BudgetLimit[] {
  return usedUp(budget, use).filter((limit) => limit !== 'agents');
}

/** Returns the limits whose use has reached the warning threshold and that are not in `warned` yet. */
export function nearlyUsed(budget: Budget, use: BudgetUse, warned: readonly BudgetLimit[]): BudgetLimit[] {
  return LIMITS.filter((limit) => {
    const allowed = budget[limit];
    return allowed !== undefined && !warned.includes(limit) && usedOf(use, limit) >= WARN_AT * allowed;
  });
}

/**
 * Returns the milliseconds until the wall time reaches its next threshold: the warning or the limit. Null if wall time
 * is not limited or is used up.
 */
export function untilWallThreshold(budget: Budget | null, use: BudgetUse): number | null {
  const allowed = budget?.wallSeconds;
  if (allowed === undefined || use.wallSeconds >= allowed) return null;
  const next = use.wallSeconds < WARN_AT * allowed ? WARN_AT * allowed : allowed;
  return Math.ceil((next - use.wallSeconds) * SECOND);
}

/** Returns the amount by which a limit is raised if a person specifies no amount: the current value of the limit. */
export function defaultRaise(budget: Budget, limit: BudgetLimit): number {
  return budget[limit] ?? 1;
}

/**
 * Returns the budget after a person raised its limits by these amounts, and the raised limits. Each amount is added to
 * the limit or, if higher, to the current use, so that the new limit is not used up at once.
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

/** A span of time, in milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
}

/** Returns the parts of a span that are outside these pauses. The pauses are in order and do not overlap. */
export function outsidePauses(span: Span, pauses: readonly Span[]): Span[] {
  const parts: Span[] = [];
  let { from } = span;
  for (const pause of pauses) {
    if (pause.from >= span.to) break;
    if (pause.from > from) parts.push({ from, to: pause.from });
    from = Math.max(from, pause.to);
  }
  return from < span.to ? [...parts, { from, to: span.to }] : parts;
}

/** Returns the total time in seconds that these spans cover; where spans overlap, the time counts once. */
export function secondsCovered(spans: readonly Span[]): number {
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
