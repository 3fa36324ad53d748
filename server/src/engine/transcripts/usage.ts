import type { TaskUsage } from '@agent-console/shared/models/task';
import type { UsageRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { TranscriptUsage } from '../../ports/transcripts.ts';
import { enforceAbove } from '../budgets/enforce.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import type { RecordedTurn } from './position.ts';

type Counts = Pick<UsageRow, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'costUsd'>;

const NOTHING: Counts = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, costUsd: null };

/**
 * Stores token usage for the task of the turn in which it occurred. Repeated reports of the same usage count once.
 * Returns the ids of the changed tasks.
 */
export async function countUsage(
  tx: Transaction,
  deps: ChangeDeps,
  sessionId: string,
  reported: readonly { usage: TranscriptUsage; turn: RecordedTurn }[],
  source: TaskUsage['source'] = 'transcript',
): Promise<Set<string>> {
  const newest = new Map(reported.map((each) => [keyOf(each.usage, each.turn), each]));
  const changed = new Set<string>();
  let counted = false;
  for (const { usage, turn } of newest.values()) {
    const { nativeId, known, counts } = usage.runningTotal
      ? await growthOf(tx, sessionId, usage, turn)
      : {
          nativeId: usage.nativeId,
          known: await tx.usage.first({ sessionId, nativeId: usage.nativeId }),
          counts: countsOf(usage),
        };
    if (known === undefined) {
      const row = { ...counts, id: deps.newId(), sessionId, taskId: turn.taskId, nativeId };
      await tx.usage.insert({ ...row, createdAt: deps.now().toISOString() });
    } else {
      if (isSame(known, counts)) continue;
      await tx.usage.update(known.id, counts);
    }
    counted = true;
    const taskId = known === undefined ? turn.taskId : known.taskId;
    if (taskId !== null) changed.add(taskId);
  }
  for (const taskId of changed) await tx.tasks.update(taskId, { usage: await sumOf(tx, taskId, source) });
  if (counted) await enforceAbove(tx, deps, sessionId);
  return changed;
}

/**
 * Returns the key under which a usage is stored. A running total is stored as the increase in each turn, so its key
 * contains the turn.
 * @param series number of the series of totals: 1, and one more each time the agent began to count from zero again
 */
function keyOf({ nativeId, runningTotal }: TranscriptUsage, turn: RecordedTurn, series = 1): string {
  if (!runningTotal) return nativeId;
  return `${nativeId} ${series === 1 ? '' : `(${series}) `}in ${turn.nativeId}`;
}

function seriesOf({ nativeId }: UsageRow, usage: TranscriptUsage): number {
  return Number(/^ \((\d+)\) in /.exec(nativeId.slice(usage.nativeId.length))?.[1] ?? 1);
}

/** Difference in US dollars up to which two costs count as equal, because sums of costs are rounded. */
const COST_ROUNDING = 1e-9;

/**
 * Returns the increase of a running total since earlier turns, and the key and row in which it is stored. A total that
 * is lower than before means that the agent began to count from zero again, for example in a new process. Later totals
 * are then compared only with the turns since that time.
 */
async function growthOf(
  tx: Transaction,
  sessionId: string,
  usage: TranscriptUsage,
  turn: RecordedTurn,
): Promise<{ nativeId: string; known: UsageRow | undefined; counts: Counts }> {
  const rows = await tx.usage.find({ sessionId, nativeId: { startsWith: `${usage.nativeId} ` } });
  const rowIn = (series: number) => rows.find(({ nativeId }) => nativeId === keyOf(usage, turn, series));
  const newest = Math.max(1, ...rows.map((row) => seriesOf(row, usage)));
  // A turn that is reported again stays in the series of totals in which it was counted first.
  let series = newest;
  while (series > 1 && rowIn(series) === undefined) series -= 1;
  if (rowIn(series) === undefined) series = newest;
  const known = rowIn(series);
  const before = rows
    .filter((row) => seriesOf(row, usage) === series && row !== known && (known === undefined || row.id < known.id))
    .reduce(add, NOTHING);
  if (isLower(usage, before)) {
    return { nativeId: keyOf(usage, turn, series + 1), known: rowIn(series + 1), counts: countsOf(usage) };
  }
  const counts = {
    inputTokens: usage.inputTokens - before.inputTokens,
    outputTokens: usage.outputTokens - before.outputTokens,
    cacheReadTokens: usage.cacheReadTokens - before.cacheReadTokens,
    costUsd: usage.costUsd === null ? null : Math.max(0, usage.costUsd - (before.costUsd ?? 0)),
  };
  return { nativeId: keyOf(usage, turn, series), known, counts };
}

function isLower(now: Counts, before: Counts): boolean {
  return (
    now.inputTokens < before.inputTokens ||
    now.outputTokens < before.outputTokens ||
    now.cacheReadTokens < before.cacheReadTokens ||
    (now.costUsd !== null && now.costUsd < (before.costUsd ?? 0) - COST_ROUNDING)
  );
}

async function sumOf(tx: Transaction, taskId: string, source: TaskUsage['source']): Promise<TaskUsage> {
  return { ...(await tx.usage.find({ taskId })).reduce(add, NOTHING), source };
}

function add(sum: Counts, row: Counts): Counts {
  return {
    inputTokens: sum.inputTokens + row.inputTokens,
    outputTokens: sum.outputTokens + row.outputTokens,
    cacheReadTokens: sum.cacheReadTokens + row.cacheReadTokens,
    costUsd: row.costUsd === null ? sum.costUsd : (sum.costUsd ?? 0) + row.costUsd,
  };
}

function countsOf({ inputTokens, outputTokens, cacheReadTokens, costUsd }: TranscriptUsage): Counts {
  return { inputTokens, outputTokens, cacheReadTokens, costUsd };
}

function isSame(one: Counts, other: Counts): boolean {
  return (
    one.inputTokens === other.inputTokens &&
    one.outputTokens === other.outputTokens &&
    one.cacheReadTokens === other.cacheReadTokens &&
    one.costUsd === other.costUsd
  );
}
