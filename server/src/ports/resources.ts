import type { Resources } from '@agent-console/shared/models/worker';

/** The first process of a worker. Pid and start time together identify it permanently. */
export interface FirstProcess {
  workerId: string;
  pid: number;
  startTime: string;
}

/** Measures the resources that workers use, on demand. */
export interface ProcessResources {
  /**
   * Returns the resources of each worker, including all descendants of its process. Returns the last sample while it is
   * fresh, so it may be called at any rate. A worker that is missing from the result was not running. With `wait`, CPU
   * usage is known even for the first sample, which takes RESOURCES_INTERVAL_MS longer. Null on platforms without these
   * figures.
   */
  measure(options?: { wait: boolean }): Promise<ReadonlyMap<string, Resources> | null>;
}
