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

/**
 * Clock ticks per second in `/proc`. On Linux, user space always sees 100, regardless of the kernel's own frequency.
 */
const TICKS_PER_SECOND = 100;

/** Environment variable with the worker's id, which the console sets for every worker. */
const WORKER_VARIABLE = 'AGENT_CONSOLE_WORKER_ID';

interface Count {
  /** CPU time of the worker's processes in clock ticks, including the ended children for which they waited. */
  ticks: number;
  /** CPU time of each process in clock ticks, by `pid:startTime`. */
  own: Map<string, number>;
  processes: number;
  /**
   * Memory in bytes. `unshared` is the sum of the unshared memory of all processes. `shared` is the largest shared
   * memory of one process, because a sum would count the same memory several times.
   */
  unshared: number;
  shared: number;
}

interface Sample {
  at: number;
  /** How long the measurement took, in milliseconds. */
  ms: number;
  counts: Map<string, Count>;
  resources: Map<string, Resources>;
  /** Whether CPU usage could be computed from an earlier sample. */
  hasCpu: boolean;
}

/**
 * Measures the processes of workers through `/proc` on Linux. Elsewhere, and if the machine has too many processes, the
 * result is null. Callers of all users share one sample, so `runningWorkers` must return the workers of all users.
 * Memory is read from `statm` (10 µs per process) because the kernel's proportional set size takes milliseconds and
 * locks the memory of a large process.
 */
export function createProcessResources({
  proc = '/proc',
  now,
  runningWorkers,
}: {
  proc?: string;
  now: () => Date;
  runningWorkers: () => Promise<readonly FirstProcess[]>;
}): ProcessResources {
  const table = createProcessTable(proc);
  const ownersOf = createProcessOwners((pid) => table.variableOf(pid, WORKER_VARIABLE));
  let latest: Sample | undefined;
  let running: Promise<Sample | undefined> | undefined;

  async function measure(): Promise<Sample | undefined> {
    const workers = await runningWorkers();
    const began = performance.now();
    const before = latest !== undefined && began - latest.at <= RESOURCES_INTERVAL_MAX_MS ? latest : undefined;
    const entries = await table.read();
    if (entries === undefined) return undefined;
    const owners = ownersOf(entries, workers);
    const counts = new Map<string, Count>();
    for (const entry of entries) {
      const owner = owners.get(keyOf(entry));
      if (owner === undefined) continue;
      const count = counts.get(owner) ?? { ticks: 0, own: new Map(), processes: 0, unshared: 0, shared: 0 };
      counts.set(owner, count);
      count.ticks += entry.ticks + entry.ticksOfEnded;
      count.own.set(keyOf(entry), entry.ticks);
      if (entry.ended) continue;
      const { resident, shared } = table.memoryOf(entry.pid) ?? { resident: 0, shared: 0 };
      count.processes += 1;
      count.unshared += resident - shared;
      count.shared = Math.max(count.shared, shared);
    }
    const at = now().toISOString();
    const seconds = before === undefined ? 0 : (began - before.at) / 1_000;
    const resources = new Map<string, Resources>();
    for (const [workerId, count] of counts) {
      const earlier = before?.counts.get(workerId);
      const cpuPercent = earlier === undefined ? null : cpuSince(earlier, count, seconds);
      resources.set(workerId, {
        cpuPercent,
        memoryBytes: count.unshared + count.shared,
        processes: count.processes,
        at,
      });
    }
    const hasCpu = [...resources.values()].every((each) => each.cpuPercent !== null);
    latest = { at: began, ms: performance.now() - began, counts, resources, hasCpu };
    return latest;
  }

  /** Runs at most one measurement at a time. Callers that arrive during a measurement share its result. */
  function measureOnce(): Promise<Sample | undefined> {
    running ??= measure().finally(() => {
      running = undefined;
    });
    return running;
  }

  function isFresh(sample: Sample): boolean {
    return performance.now() - sample.at < Math.max(RESOURCES_FRESH_MS, sample.ms * RESOURCES_PAUSE_FACTOR);
  }

  return {
    async measure({ wait } = { wait: false }) {
      if (process.platform !== 'linux') return null;
      let sample = latest !== undefined && isFresh(latest) ? latest : await measureOnce();
      if (wait && sample?.hasCpu === false) {
        await pause(RESOURCES_INTERVAL_MS);
        sample = latest?.hasCpu === true ? latest : await measureOnce();
      }
      return sample?.resources ?? null;
    },
  };
}

/**
 * Returns the CPU usage between two samples as a percentage of one core. The CPU time of a process includes the ended
 * children for which it waited. If no process waited for an ended process, its time is missing in the second sample, so
 * the difference is too low. The result is at least the time used by the processes of the second sample.
 */
function cpuSince(before: Count, after: Count, seconds: number): number {
  let living = 0;
  for (const [key, ticks] of after.own) living += Math.max(0, ticks - (before.own.get(key) ?? ticks));
  const used = Math.max(living, after.ticks - before.ticks) / TICKS_PER_SECOND;
  return Math.round(Math.min((used / seconds) * 100, availableParallelism() * 100) * 10) / 10;
}
