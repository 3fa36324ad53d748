import { setTimeout as delay } from 'node:timers/promises';
import { CLIENT_RETRY_PAUSE_MAX_MS } from '@agent-console/shared/limits/calls';
import type { ConsoleAddress } from './find-console.ts';
import { openEventStream, serverSentEvents } from './server-sent-events.ts';

/** Pause after a ring, in which further ones are collected. */
const COLLECT_MS = 100;

const pause = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }).catch(() => undefined);

/** Wakes a loop when something may have changed. A ring while the loop is busy is not lost. */
export interface Bell {
  ring(): void;
  /** Resolves to true after a ring or after `everyMs`, at once for the first call; to false when it was aborted. */
  rung(everyMs?: number): Promise<boolean>;
}

/** Creates a bell that has been rung once. */
export function createBell(signal: AbortSignal): Bell {
  let isRung = true;
  let isFirst = true;
  let wake = () => {};
  const ring = () => {
    isRung = true;
    wake();
  };
  signal.addEventListener('abort', () => wake(), { once: true });
  return {
    ring,
    async rung(everyMs) {
      if (!isFirst) await pause(COLLECT_MS, signal);
      isFirst = false;
      if (!isRung && !signal.aborted) {
        const timer = everyMs === undefined ? undefined : setTimeout(ring, everyMs);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(timer);
      }
      isRung = false;
      return !signal.aborted;
    },
  };
}

/** Calls `onEvent` when the stream of events is open, for each event, and after each reconnection, until `signal` is aborted. */
export async function listenToEvents(address: ConsoleAddress, signal: AbortSignal, onEvent: () => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const body = await openEventStream(address, '/events/stream', undefined, signal);
      onEvent();
      for await (const { data } of serverSentEvents(body)) if (data !== null) onEvent();
    } catch {
      // The next attempt follows after a pause. A console that does not come back fails the next call.
    }
    onEvent();
    await pause(CLIENT_RETRY_PAUSE_MAX_MS, signal);
  }
}

/** Yields at once, after events of the console, and every `everyMs` if that is set, until `signal` is aborted. */
export async function* changes(
  address: ConsoleAddress,
  signal: AbortSignal,
  everyMs?: number,
): AsyncGenerator<void, void, undefined> {
  const bell = createBell(signal);
  void listenToEvents(address, signal, bell.ring);
  while (await bell.rung(everyMs)) yield;
}
