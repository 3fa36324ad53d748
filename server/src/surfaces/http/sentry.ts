import { HEARTBEAT_MS, TIMER_MAX_MS } from '@agent-console/shared/limits/connections';
import type { EventType } from '@agent-console/shared/models/event';
import { actorOf, type Caller } from '../../domain/caller.ts';
import type { EventHub } from '../../ports/events.ts';

/** Something a caller opened that has no end of its own. */
interface Opened {
  caller: Caller;
  /** Asks again who that is; rejects where it cannot be told now. */
  recheck: () => Promise<Caller>;
  /** Called once, with a sentence, when the console knows the caller no longer. */
  end: (reason: string) => void;
}

/** Ends what callers opened at the moment they are known no longer: a token revoked or expired, a user removed, a worker ended. */
export interface Sentry {
  /** The answer stops the watch. A stranger is not watched: nothing is told to them. */
  watch(opened: Opened): () => void;
  close(): void;
}

/** After these a caller may be known no longer. */
const ENDS: ReadonlySet<EventType> = new Set<EventType>([
  'token.revoked',
  'user.removed',
  'worker.exited',
  'worker.lost',
]);

/** Looks at once when an event or the token's own end says so, and every `heartbeatMs` in any case. */
export function createSentry(
  events: Pick<EventHub, 'onEvents'>,
  onError: (error: unknown) => void,
  heartbeatMs: number = HEARTBEAT_MS,
): Sentry {
  const watched = new Map<Opened, () => void>();

  async function look(opened: Opened): Promise<void> {
    try {
      const caller = await opened.recheck();
      const reason = whyNotTheSame(opened.caller, caller);
      if (reason === undefined || !watched.has(opened)) return;
      leave(opened);
      opened.end(reason);
    } catch (error) {
      onError(error);
    }
  }

  function leave(opened: Opened): void {
    watched.get(opened)?.();
    watched.delete(opened);
  }

  function lookAtAll(): void {
    for (const opened of watched.keys()) void look(opened);
  }

  const stopListening = events.onEvents((committed) => {
    if (committed.some(({ event }) => ENDS.has(event.type))) lookAtAll();
  });
  const heartbeat = setInterval(lookAtAll, heartbeatMs);
  heartbeat.unref();

  return {
    watch(opened) {
      if (opened.caller.kind === 'nobody') return () => {};
      watched.set(
        opened,
        atEndOf(opened.caller, () => void look(opened)),
      );
      return () => leave(opened);
    },
    close() {
      stopListening();
      clearInterval(heartbeat);
      for (const opened of [...watched.keys()]) leave(opened);
    },
  };
}

/**
 * Why what one caller opened is not to go on for whoever holds it now. A socket can pass to another process, which then
 * is nobody, or somebody else.
 */
function whyNotTheSame(before: Caller, now: Caller): string | undefined {
  if (now.kind === 'nobody') return now.reason;
  if (actorOf(before) === actorOf(now)) return undefined;
  return 'This connection has passed to another caller: open a new one.';
}

/** Calls back when the caller's token has expired, if it does; the answer takes that back. */
function atEndOf(caller: Caller, expired: () => void): () => void {
  const expiresAt = caller.kind === 'user' ? caller.expiresAt : undefined;
  if (expiresAt === undefined) return () => {};
  let timer: NodeJS.Timeout;
  const wait = () => {
    const left = Date.parse(expiresAt) - Date.now();
    timer = left <= TIMER_MAX_MS ? setTimeout(expired, Math.max(0, left) + 1) : setTimeout(wait, TIMER_MAX_MS);
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}
