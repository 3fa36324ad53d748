import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import {
  RESOURCES_FRESH_MS,
  RESOURCES_INTERVAL_MAX_MS,
  RESOURCES_INTERVAL_MS,
  RESOURCES_PAUSE_FACTOR,
} from '@agent-console/shared/limits/processes';
import type { Resources } from '@agent-console/shared/models/worker';
import type { FirstProcess, ProcessResources } from '../ports/resources.ts';
import { createProcessOwners } from './process-owners.ts';
import { createProcessTable, keyOf } from './process-table.ts';

/** Clock ticks of `/proc` in a second: 100 for every program on Linux, whatever the kernel counts in. */
const TICKS_PER_SECOND = 100;

/** The variable that every worker's environment carries. */
const MARK = 'AGENT_CONSOLE_WORKER_ID';

/** What was counted of one worker at one look. */
interface Count {
  /** CPU time of its processes and of all that these have waited for. */
  ticks: number;
  /** CPU time of each of its processes, by `pid:startTime`. */
  own: Map<string, number>;
  processes: number;
  /** Bytes that only one process has, and the most that one of them shares. */
  alone: number;
  shared: number;
}

interface Look {
  at: number;
  /** How long it took. */
  ms: number;
  counts: Map<string, Count>;
  resources: Map<string, Resources>;
  /** Whether there was a look before it that CPU time could be counted from. */
  hasCpu: boolean;
}

/**
 * Measures the processes of workers through `/proc`, on Linux; elsewhere everything is null. One look serves all
 * workers and whoever asks meanwhile, so `livingWorkers` are those of everybody. Memory is what `statm` says (10 µs each) and not the kernel's own proportional
 * figure, which takes milliseconds for each process of an agent's size and holds its memory up meanwhile.
 */
export function createProcessResources({
  proc = '/proc',
  now,
  livingWorkers,
}: {
  proc?: string;
  now: () => Date;
  livingWorkers: () => Promise<readonly FirstProcess[]>;
}): ProcessResources {
  const table = createProcessTable(proc);
  const ownersOf = createProcessOwners((pid) => table.variableOf(pid, MARK));
  let latest: Look | undefined;
  let running: Promise<Look | undefined> | undefined;

  async function lookAt(): Promise<Look | undefined> {
    const workers = await livingWorkers();
    const began = performance.now();
    const before = latest !== undefined && began - latest.at <= RESOURCES_INTERVAL_MAX_MS ? latest : undefined;
    const entries = await table.read();
    if (entries === undefined) return undefined;
    const owners = ownersOf(entries, workers);
    const counts = new Map<string, Count>();
    for (const entry of entries) {
      const owner = owners.get(keyOf(entry));
      if (owner === undefined) continue;
      const count = counts.get(owner) ?? { ticks: 0, own: new Map(), processes: 0, alone: 0, shared: 0 };
      counts.set(owner, count);
      count.ticks += entry.ticks + entry.ticksOfEnded;
      count.own.set(keyOf(entry), entry.ticks);
      if (entry.ended) continue;
      const { resident, shared } = table.memoryOf(entry.pid) ?? { resident: 0, shared: 0 };
      count.processes += 1;
      count.alone += resident - shared;
      count.shared = Math.max(count.shared, shared);
    }
    const at = now().toISOString();
    const seconds = before === undefined ? 0 : (began - before.at) / 1_000;
    const resources = new Map<string, Resources>();
    for (const [workerId, count] of counts) {
      const earlier = before?.counts.get(workerId);
      const cpuPercent = earlier === undefined ? null : cpuSince(earlier, count, seconds);
      resources.set(workerId, { cpuPercent, memoryBytes: count.alone + count.shared, processes: count.processes, at });
    }
    const hasCpu = [...resources.values()].every((each) => each.cpuPercent !== null);
    latest = { at: began, ms: performance.now() - began, counts, resources, hasCpu };
    return latest;
  }

  /** One look at a time; those who come meanwhile get its answer. */
  function lookOnce(): Promise<Look | undefined> {
    running ??= lookAt().finally(() => {
      running = undefined;
    });
    return running;
  }

  function isFresh(look: Look): boolean {
    return performance.now() - look.at < Math.max(RESOURCES_FRESH_MS, look.ms * RESOURCES_PAUSE_FACTOR);
  }

  return {
    async look({ wait } = { wait: false }) {
      if (process.platform !== 'linux') return null;
      let look = latest !== undefined && isFresh(latest) ? latest : await lookOnce();
      if (wait && look?.hasCpu === false) {
        await pause(RESOURCES_INTERVAL_MS);
        look = latest?.hasCpu === true ? latest : await lookOnce();
      }
      return look?.resources ?? null;
    },
  };
}

/**
 * Percent of one core between two looks. The time of a process that ended goes to whoever waited for it, so the sum
 * over all grows by what was used, also by processes that nobody saw; where nobody of the worker waited, it shrinks,
 * and what the living ones used is at least that.
 */
function cpuSince(before: Count, after: Count, seconds: number): number {
  let living = 0;
  for (const [key, ticks] of after.own) living += Math.max(0, ticks - (before.own.get(key) ?? ticks));
  const used = Math.max(living, after.ticks - before.ticks) / TICKS_PER_SECOND;
  return Math.round(Math.min((used / seconds) * 100, availableParallelism() * 100) * 10) / 10;
}
