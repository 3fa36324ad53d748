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
  for (const [nativeId, { usage, turn }] of newest) {
    const known = await tx.usage.first({ sessionId, nativeId });
    const counts = usage.runningTotal ? await growthOf(tx, sessionId, usage, nativeId, known) : countsOf(usage);
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
 */
function keyOf({ nativeId, runningTotal }: TranscriptUsage, turn: RecordedTurn): string {
  return runningTotal ? `${nativeId} in ${turn.nativeId}` : nativeId;
}

/**
 * Returns the increase of a running total since earlier turns. A total that is lower than before means that the agent
 * restarted its count.
 */
async function growthOf(
  tx: Transaction,
  sessionId: string,
  usage: TranscriptUsage,
  nativeId: string,
  known: UsageRow | undefined,
): Promise<Counts> {
  const rows = await tx.usage.find({ sessionId, nativeId: { startsWith: `${usage.nativeId} in ` } });
  const earlier = rows.filter((row) => row.nativeId !== nativeId && (known === undefined || row.id < known.id));
  const before = earlier.reduce(add, NOTHING);
  const grown = (now: number, then: number) => (now >= then ? now - then : now);
  return {
    inputTokens: grown(usage.inputTokens, before.inputTokens),
    outputTokens: grown(usage.outputTokens, before.outputTokens),
    cacheReadTokens: grown(usage.cacheReadTokens, before.cacheReadTokens),
    costUsd: usage.costUsd === null ? null : grown(usage.costUsd, before.costUsd ?? 0),
  };
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
