import type { Resources } from '@agent-console/shared/models/worker';
import { pluralize } from '@agent-console/shared/pluralize';
import { useOperationQuery } from '../../../api/operations.ts';

const POLL_MS = 5_000;
/** Maximum number of points of a CPU history: five minutes, with one point per poll. */
const POINTS_MAX = 60;
/** Maximum number of workers whose CPU history is retained. The history is shown again when the session is reopened. */
const LINES_MAX = 50;

/** CPU percentages at each poll, oldest first, by worker id. */
const lines = new Map<string, { at: string; points: readonly number[] }>();

/**
 * Returns the resource usage of a session's workers by worker id; undefined until loaded, or if the session is not
 * `live`.
 */
export function useResources(sessionId: string, live: boolean): ReadonlyMap<string, Resources> | undefined {
  const { data } = useOperationQuery('workers.resources', { sessionId }, { enabled: live, refetchInterval: POLL_MS });
  if (data === undefined || !live) return undefined;
  return new Map(data.data.flatMap(({ workerId, resources }) => (resources === null ? [] : [[workerId, resources]])));
}

/** Adds the CPU percentage of a measurement to a worker's CPU history, if it is not there yet. Returns the history. */
export function cpuHistory(workerId: string, { at, cpuPercent }: Resources): readonly number[] {
  const known = lines.get(workerId);
  if (cpuPercent === null || known?.at === at) return known?.points ?? [];
  const points = [...(known?.points ?? []), cpuPercent].slice(-POINTS_MAX);
  lines.delete(workerId);
  lines.set(workerId, { at, points });
  const [oldest] = lines.keys();
  if (lines.size > LINES_MAX && oldest !== undefined) lines.delete(oldest);
  return points;
}

const MB = 1_000_000;

/** Formats resource usage, e.g. `12 % · 340 MB · 5 processes`. */
export function formatResources({ cpuPercent, memoryBytes, processes }: Resources): string {
  const memory =
    memoryBytes < 1_000 * MB ? `${Math.round(memoryBytes / MB)} MB` : `${(memoryBytes / 1_000 / MB).toFixed(1)} GB`;
  const count = pluralize(processes, 'process', 'processes');
  return [...(cpuPercent === null ? [] : [`${Math.round(cpuPercent)} %`]), memory, count].join(' · ');
}
