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
   * Returns the resource use of each running worker's processes, by worker id. A recent sample is reused. With `wait`,
   * even the first sample includes CPU usage, which takes RESOURCES_INTERVAL_MS to measure. Null on platforms without
   * this data, and on machines with more than RESOURCES_PROCESSES_MAX processes.
   */
  measure(options?: { wait: boolean }): Promise<ReadonlyMap<string, Resources> | null>;
}
