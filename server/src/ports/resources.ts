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
   * Returns the resources of each running worker with its descendants, or the last sample while it is fresh. With
   * `wait`, even the first sample includes CPU usage, which takes RESOURCES_INTERVAL_MS to measure. Null on platforms
   * that do not report resources.
   */
  measure(options?: { wait: boolean }): Promise<ReadonlyMap<string, Resources> | null>;
}
