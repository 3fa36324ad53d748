import type { Resources } from '@agent-console/shared/models/worker';
import type { FirstProcess } from '../ports/resources.ts';
import type { WorkerRow } from '../ports/rows/workers.ts';
import type { Readers, Where } from '../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { slicePage } from './paging.ts';

const LIVING: Where<WorkerRow> = { type: ['agent', 'terminal'], state: 'running' };

/** The workers that a look is about: those of everybody, whoever asks. */
export async function livingWorkers(read: Pick<Readers, 'workers'>): Promise<FirstProcess[]> {
  const rows = await read.workers.find(LIVING);
  return rows.flatMap(({ id, pid, startTime }) =>
    pid === null || startTime === null ? [] : [{ workerId: id, pid, startTime }],
  );
}

/** Answers what one worker takes of the machine; null where nobody can tell. */
export async function measure(
  context: OperationContext,
  worker: Pick<WorkerRow, 'id' | 'type' | 'state'>,
): Promise<Resources | null> {
  if (worker.state !== 'running' || worker.type === 'git-diff') return null;
  return (await context.resources.look())?.get(worker.id) ?? null;
}

/** The same for workers that are shown together; none of them need be alive. */
export async function measureAll<W extends Pick<WorkerRow, 'id' | 'type' | 'state'>>(
  context: OperationContext,
  workers: readonly W[],
): Promise<(W & { resources: Resources | null })[]> {
  const living = workers.some(({ state, type }) => state === 'running' && type !== 'git-diff');
  const taken = living ? await context.resources.look() : null;
  return workers.map((worker) => ({
    ...worker,
    resources: worker.state === 'running' ? (taken?.get(worker.id) ?? null) : null,
  }));
}

/** All living workers together that the caller may know of; null where nobody can tell. */
export async function measureSum({ storage, resources }: OperationContext): Promise<Resources | null> {
  const taken = await resources.look();
  if (taken === null) return null;
  let cpuPercent: number | null = 0;
  let memoryBytes = 0;
  let processes = 0;
  let at: string | null = null;
  for (const { id } of await storage.read.workers.find(LIVING)) {
    const each = taken.get(id);
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
    const taken = await context.resources.look({ wait: true });
    const rows = await context.storage.read.workers.find(LIVING);
    const memory = (id: string) => taken?.get(id)?.memoryBytes ?? 0;
    const wanted = rows
      .filter((row) => sessionId === undefined || row.sessionId === sessionId)
      .sort((a, b) => memory(b.id) - memory(a.id));
    const { data, ...rest } = slicePage(wanted, page);
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
        resources: taken?.get(row.id) ?? null,
      })),
    };
  };
}

export function resourceOperations(context: OperationContext) {
  return {
    'workers.resources': listResources(context),
  } satisfies Partial<Implementations>;
}
