import type { Resources } from '@agent-console/shared/models/worker';
import type { FirstProcess } from '../ports/resources.ts';
import type { WorkerRow } from '../ports/rows.ts';
import type { Readers, Where } from '../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { slicePage } from './paging.ts';

const WITH_PROCESS: Where<WorkerRow> = { type: ['agent', 'terminal'], state: 'running' };

/** Returns the workers with a running process, of all users. */
export async function workersWithProcess(read: Pick<Readers, 'workers'>): Promise<FirstProcess[]> {
  const rows = await read.workers.find(WITH_PROCESS);
  return rows.flatMap(({ id, pid, startTime }) =>
    pid === null || startTime === null ? [] : [{ workerId: id, pid, startTime }],
  );
}

/** Returns the resource use of one worker, or null if it cannot be measured. */
export async function measure(
  context: OperationContext,
  worker: Pick<WorkerRow, 'id' | 'type' | 'state'>,
): Promise<Resources | null> {
  if (worker.state !== 'running' || worker.type === 'git-diff') return null;
  return (await context.resources.measure())?.get(worker.id) ?? null;
}

/** Adds resource use to workers; null for a worker that is not running or cannot be measured. */
export async function measureAll<W extends Pick<WorkerRow, 'id' | 'type' | 'state'>>(
  context: OperationContext,
  workers: readonly W[],
): Promise<(W & { resources: Resources | null })[]> {
  const isAnyRunning = workers.some(({ state, type }) => state === 'running' && type !== 'git-diff');
  const usage = isAnyRunning ? await context.resources.measure() : null;
  return workers.map((worker) => ({
    ...worker,
    resources: worker.state === 'running' ? (usage?.get(worker.id) ?? null) : null,
  }));
}

/** Returns the resource use of all running workers that the caller can see; null if none runs or can be measured. */
export async function measureSum({ storage, resources }: OperationContext): Promise<Resources | null> {
  const usage = await resources.measure();
  if (usage === null) return null;
  let cpuPercent: number | null = 0;
  let memoryBytes = 0;
  let processes = 0;
  let at: string | null = null;
  for (const { id } of await storage.read.workers.find(WITH_PROCESS)) {
    const each = usage.get(id);
    if (each === undefined) continue;
    cpuPercent = cpuPercent === null || each.cpuPercent === null ? null : cpuPercent + each.cpuPercent;
    memoryBytes += each.memoryBytes;
    processes += each.processes;
    at = each.at;
  }
  if (at === null) return null;
  return { cpuPercent: cpuPercent === null ? null : Math.round(cpuPercent * 10) / 10, memoryBytes, processes, at };
}

function listResources(context: OperationContext): Implementation<'workers.resources'> {
  return async ({ sessionId, ...page }) => {
    const usage = await context.resources.measure({ wait: true });
    const rows = await context.storage.read.workers.find(WITH_PROCESS);
    const memory = (id: string) => usage?.get(id)?.memoryBytes ?? 0;
    const listed = rows
      .filter((row) => sessionId === undefined || row.sessionId === sessionId)
      .sort((a, b) => memory(b.id) - memory(a.id));
    const { data, ...rest } = slicePage(listed, page);
    const ids = [...new Set(data.map((row) => row.sessionId))];
    const sessions = ids.length === 0 ? [] : await context.storage.read.sessions.find({ id: ids });
    const titles = new Map(sessions.map(({ id, title }) => [id, title]));
    return {
      ...rest,
      data: data.map((row) => ({
        workerId: row.id,
        sessionId: row.sessionId,
        type: row.type,
        agentId: row.agentId,
        title: titles.get(row.sessionId) ?? '',
        resources: usage?.get(row.id) ?? null,
      })),
    };
  };
}

export function resourceOperations(context: OperationContext) {
  return {
    'workers.resources': listResources(context),
  } satisfies Partial<Implementations>;
}
