import { ConsoleError } from '@agent-console/shared/errors';
import { GIT_QUEUE_MAX } from '@agent-console/shared/limits/git';
import { Mutex } from 'async-mutex';

export interface Queues {
  /**
   * Runs `work` after all work queued earlier under the same key.
   * @throws BUSY when the queue already has GIT_QUEUE_MAX entries, and whatever `work` throws.
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /**
   * Like `run`, but calls that arrive before `work` has started share one run of `work`. That run starts after these
   * calls, so its result is new enough for all.
   */
  share<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Creates queues, one for each key. A key is, for example, a common git directory or a remote ref. A key without queued
 * work uses no memory.
 */
export function createQueues(): Queues {
  const queues = new Map<string, { mutex: Mutex; users: number }>();
  const waiting = new Map<string, Promise<unknown>>();

  async function run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = queues.get(key) ?? { mutex: new Mutex(), users: 0 };
    if (queue.users >= GIT_QUEUE_MAX) {
      throw new ConsoleError('BUSY', 'Too many git operations are waiting for this repository. Try again in a moment.');
    }
    queues.set(key, queue);
    queue.users += 1;
    try {
      return await queue.mutex.runExclusive(work);
    } finally {
      queue.users -= 1;
      if (queue.users === 0) queues.delete(key);
    }
  }

  function share<T>(key: string, work: () => Promise<T>): Promise<T> {
    const shared = waiting.get(key) as Promise<T> | undefined;
    if (shared !== undefined) return shared;
    const started = run(key, () => {
      waiting.delete(key);
      return work();
    });
    waiting.set(key, started);
    // If `run` rejects with BUSY, `work` never starts. The promise must therefore be removed from `waiting` here.
    started
      .catch(() => {})
      .finally(() => {
        if (waiting.get(key) === started) waiting.delete(key);
      });
    return started;
  }

  return { run, share };
}
