import type { GitLine, RunGit } from './command.ts';
import type { RunProcess } from './process.ts';
import type { Queues } from './queue.ts';

/** Log for failures that are not reported to the caller. pino loggers implement this interface. */
export interface GitLog {
  warn(fields: Record<string, unknown>, message: string): void;
}

/** Location of a checkout on this machine. */
export interface CheckoutLocation {
  path: string;
  /**
   * The common git directory as registered with the repository. The path in the checkout's `.git` file is not trusted,
   * because agents can change that file.
   */
  commonDir: string;
}

/** Dependencies shared by all parts of the git adapter. */
export interface GitContext {
  /** Runs a program other than git. */
  runProcess: RunProcess;
  run: RunGit;
  line: GitLine;
  queues: Queues;
  log: GitLog;
  /** Returns the time in milliseconds since 1970. */
  clock: () => number;
  /** Absolute path of the folder that contains the open views of checkouts (`CheckoutView`). The first view creates it. */
  viewsDir: string;
}
