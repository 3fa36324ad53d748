import { HEARTBEAT_MS, TIMER_MAX_MS } from '@agent-console/shared/limits/connections';
import type { EventType } from '@agent-console/shared/models/event';
import { actorOf, type Caller } from '../../domain/caller.ts';
import type { EventHub } from '../../ports/events.ts';

/** A stream or socket that a caller opened. It does not end by itself. */
interface Opened {
  caller: Caller;
  /** Identifies the caller again. Rejects if the caller cannot be identified at present. */
  recheck: () => Promise<Caller>;
  /** Called once, with the reason, when the stream or socket must end because its caller is no longer identified. */
  end: (reason: string) => void;
}

/**
 * Ends streams and sockets whose caller loses access: the token is revoked or expires, the user is removed, the worker
 * ends, or the connection is now used by another caller.
 */
export interface AccessMonitor {
  /** Checks a stream or socket until the returned function is called. Does nothing for unidentified callers. */
  watch(opened: Opened): () => void;
  close(): void;
}

/** Events after which callers are rechecked, because one of them may have lost access. */
const ACCESS_ENDING_EVENTS: ReadonlySet<EventType> = new Set<EventType>([
  'token.revoked',
  'user.removed',
  'worker.exited',
  'worker.lost',
]);

/** Rechecks callers after each event in ACCESS_ENDING_EVENTS, when their token expires, and every `heartbeatMs`. */
export function createAccessMonitor(
  events: Pick<EventHub, 'onEvents'>,
  onError: (error: unknown) => void,
  heartbeatMs: number = HEARTBEAT_MS,
): AccessMonitor {
  const watched = new Map<Opened, () => void>();

  async function verify(opened: Opened): Promise<void> {
    try {
      const caller = await opened.recheck();
      const reason = reasonForEnd(opened.caller, caller);
      if (reason === undefined || !watched.has(opened)) return;
      unwatch(opened);
      opened.end(reason);
    } catch (error) {
      onError(error);
    }
  }

  function unwatch(opened: Opened): void {
    watched.get(opened)?.();
    watched.delete(opened);
  }

  function recheckAll(): void {
    for (const opened of watched.keys()) void verify(opened);
  }

  const stopListening = events.onEvents((committed) => {
    if (committed.some(({ event }) => ACCESS_ENDING_EVENTS.has(event.type))) recheckAll();
  });
  const heartbeat = setInterval(recheckAll, heartbeatMs);
  heartbeat.unref();

  return {
    watch(opened) {
      if (opened.caller.kind === 'nobody') return () => {};
      watched.set(
        opened,
        onExpiry(opened.caller, () => void verify(opened)),
      );
      return () => unwatch(opened);
    },
    close() {
      stopListening();
      clearInterval(heartbeat);
      for (const opened of [...watched.keys()]) unwatch(opened);
    },
  };
}

/**
 * Returns the reason why a stream or socket must end, or undefined if its connection still belongs to the same caller.
 * A connection can pass to another process, which may be unidentified or belong to another user.
 */
function reasonForEnd(before: Caller, now: Caller): string | undefined {
  if (now.kind === 'nobody') return now.reason;
  if (actorOf(before) === actorOf(now)) return undefined;
  return 'This connection now belongs to another caller. Open a new connection.';
}

/**
 * Calls `expired` when the caller's token expires, if the token has an expiry. Returns a function that cancels the
 * timer.
 */
function onExpiry(caller: Caller, expired: () => void): () => void {
  const expiresAt = caller.kind === 'user' ? caller.expiresAt : undefined;
  if (expiresAt === undefined) return () => {};
  let timer: NodeJS.Timeout;
  const wait = () => {
    const remainingMs = Date.parse(expiresAt) - Date.now();
    timer =
      remainingMs <= TIMER_MAX_MS ? setTimeout(expired, Math.max(0, remainingMs) + 1) : setTimeout(wait, TIMER_MAX_MS);
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}
