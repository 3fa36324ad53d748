import type { Resources } from '@agent-console/shared/models/worker';

/** The first process of a worker; pid and start time together name it for ever. */
export interface FirstProcess {
  workerId: string;
  pid: number;
  startTime: string;
}

/** Looks at what workers take of the machine, when somebody asks and not before. */
export interface ProcessResources {
  /**
   * What each worker takes, whoever asks, with everything that its processes started. Answers the last look while that
   * is fresh, so it may be asked at any rate; a worker that is missing in the answer was not running then. With `wait`
   * the CPU time is in the answer even if nobody looked before, which takes RESOURCES_INTERVAL_MS longer. Null where
   * the machine does not tell.
   */
  look(options?: { wait: boolean }): Promise<ReadonlyMap<string, Resources> | null>;
}
