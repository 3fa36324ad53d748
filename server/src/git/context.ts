import type { Commands } from './command.ts';
import type { Queues } from './queue.ts';

/** Where the adapter says what its caller need not know; pino's loggers fit. */
export interface GitLog {
  warn(fields: Record<string, unknown>, message: string): void;
}

/** What every part of the adapter is given. */
export interface GitContext {
  commands: Commands;
  queues: Queues;
  log: GitLog;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Folder of the views that are open, as an absolute path. It is made when the first one is. */
  viewsDir: string;
}
