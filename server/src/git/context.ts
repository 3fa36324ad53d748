import type { RunGit } from './command.ts';
import type { Queues } from './queue.ts';

/** Log for what callers need not know. pino loggers implement it. */
export interface GitLog {
  warn(fields: Record<string, unknown>, message: string): void;
}

/** Where a checkout is on this machine. */
export interface CheckoutLocation {
  path: string;
  /** The common git directory as registered; the checkout's own claim about it is not trusted. */
  commonDir: string;
}

/** The dependencies that all parts of the adapter share. */
export interface GitContext {
  run: RunGit;
  queues: Queues;
  log: GitLog;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Absolute path of the folder that contains the open views. The first view creates it. */
  viewsDir: string;
}
