import { setTimeout as delay } from 'node:timers/promises';
import { CLIENT_RETRY_PAUSE_MAX_MS } from '@agent-console/shared/limits/calls';
import type { ConsoleAddress } from './find-console.ts';
import { openEventStream, serverSentEvents } from './server-sent-events.ts';

/**
 * Pause in milliseconds before each wait except the first, so that changes in quick succession wake the loop only once.
 */
const COLLECT_MS = 100;

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

/**
 * Lets a loop wait until something may have changed. If `notify` is called while the loop is busy, the next `wait` of
 * the loop returns immediately.
 */
export interface ChangeNotifier {
  notify(): void;
  /**
   * Waits for a notification, at most `everyMs`. Resolves to false if the signal was aborted. The first call does not
   * wait.
   */
  wait(everyMs?: number): Promise<boolean>;
}

/** Creates a notifier whose first wait ends immediately, as if a notification had already arrived. */
export function createNotifier(signal: AbortSignal): ChangeNotifier {
  let isNotified = true;
  let isFirst = true;
  let wake = () => {};
  const notify = () => {
    isNotified = true;
    wake();
  };
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    notify,
    async wait(everyMs) {
      if (!isFirst) await pause(COLLECT_MS, signal);
      isFirst = false;
      if (!isNotified && !signal.aborted) {
        const timer = everyMs === undefined ? undefined : setTimeout(notify, everyMs);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(timer);
      }
      isNotified = false;
      return !signal.aborted;
    },
  };
}

/**
 * Calls `onEvent` for each event, and whenever the stream of events opens, ends or cannot be opened, until `signal` is
 * aborted.
 */
export async function listenToEvents(address: ConsoleAddress, signal: AbortSignal, onEvent: () => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const body = await openEventStream(address, '/events/stream', undefined, signal);
      onEvent();
      for await (const { data } of serverSentEvents(body)) if (data !== null) onEvent();
    } catch {
      // The error is ignored, because the stream is opened again after a pause. If the console does not come back, the
      // caller's next call of an operation fails.
    }
    onEvent();
    await pause(CLIENT_RETRY_PAUSE_MAX_MS, signal);
  }
}

/**
 * Yields once immediately, then after events of the console and whenever `everyMs` has passed without events, until
 * `signal` is aborted.
 */
export async function* changes(
  address: ConsoleAddress,
  signal: AbortSignal,
  everyMs?: number,
): AsyncGenerator<void, void, undefined> {
  const notifier = createNotifier(signal);
  void listenToEvents(address, signal, notifier.notify);
  while (await notifier.wait(everyMs)) yield;
}
