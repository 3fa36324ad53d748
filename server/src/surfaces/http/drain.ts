import { setMaxListeners } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { ConsoleError } from '@agent-console/shared/errors';
import { DRAIN_MAX_MS } from '@agent-console/shared/limits/calls';

/** Tracks open calls, so that a planned stop of the server first answers them and then closes the connections. */
export interface Drain {
  readonly stopping: boolean;
  /** Aborts when a planned stop of the server begins. */
  readonly signal: AbortSignal;
  /**
   * Makes a stop wait until this response is complete. Called as soon as a request arrives, because `call` runs only
   * later, after the request was read.
   */
  follow(outgoing: ServerResponse): void;
  /**
   * Runs a call. If a stop begins before the call is done, the caller gets BUSY and may retry. The work of the call
   * continues. If the server ends before the work does, the next server recovers the work.
   */
  call<T>(outgoing: ServerResponse, work: () => Promise<T>): Promise<T>;
  /**
   * Rejects open calls with BUSY, waits for the responses (at most DRAIN_MAX_MS), then closes the servers and the
   * remaining connections. A second call waits for the first.
   */
  stop(servers: readonly Server[]): Promise<void>;
}

/**
 * Creates the error for calls that a planned stop rejects. The message says to call again, because a restart takes well
 * under a second.
 */
function restarting(): ConsoleError {
  return new ConsoleError('BUSY', 'The console is restarting. Call again in a second.', { restarting: true });
}

export function createDrain(): Drain {
  const stop = new AbortController();
  // Every open call adds a listener to this signal. Without this line, Node warns about more than ten listeners.
  setMaxListeners(0, stop.signal);
  const open = new Set<ServerResponse>();
  let closing: Promise<void> | undefined;
  let onEmpty: (() => void) | undefined;

  function settle(outgoing: ServerResponse): void {
    open.delete(outgoing);
    if (open.size === 0) onEmpty?.();
  }

  /** Makes a stop wait until the response was sent completely or its caller has disconnected. */
  function follow(outgoing: ServerResponse): void {
    if (open.has(outgoing) || outgoing.closed) return;
    open.add(outgoing);
    outgoing.once('close', () => settle(outgoing));
  }

  async function close(servers: readonly Server[]): Promise<void> {
    stop.abort();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, DRAIN_MAX_MS);
      onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
      if (open.size === 0) onEmpty();
    });
    await Promise.all(
      servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      ),
    );
  }

  return {
    get stopping() {
      return stop.signal.aborted;
    },
    signal: stop.signal,
    follow,
    async call(outgoing, work) {
      if (stop.signal.aborted) throw restarting();
      follow(outgoing);
      let refuse = () => {};
      const stopped = new Promise<never>((_, reject) => {
        refuse = () => reject(restarting());
      });
      stop.signal.addEventListener('abort', refuse, { once: true });
      try {
        return await Promise.race([work(), stopped]);
      } finally {
        stop.signal.removeEventListener('abort', refuse);
      }
    },
    stop: (servers) => {
      closing ??= close(servers);
      return closing;
    },
  };
}
