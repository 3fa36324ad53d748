import type { Call } from '../domain/call.ts';
import { actorOf, SYSTEM_ACTOR } from '../domain/caller.ts';
import type { Author } from '../ports/storage.ts';

/** Work that nobody asked for in this moment: exits, restarts, reminders. */
export const SYSTEM: Author = { actor: SYSTEM_ACTOR };

/** On whose behalf a call's transactions run. */
export function authorOf(call: Call): Author {
  const { caller, idempotency } = call;
  return {
    actor: actorOf(caller),
    ...(caller.kind === 'worker' ? { viaSessionId: caller.sessionId } : {}),
    ...(idempotency === undefined ? {} : { idempotency }),
  };
}

/** What a task records as its source. */
export function sourceOf(call: Call): { sourceKind: 'person' | 'session'; sourceId: string } {
  const { caller } = call;
  if (caller.kind === 'worker') return { sourceKind: 'session', sourceId: caller.sessionId };
  return { sourceKind: 'person', sourceId: caller.kind === 'user' ? caller.userId : 'nobody' };
}

/** Whose word an outcome is: a person's, or the system's on behalf of an agent. */
export function sourceWord(call: Pick<Call, 'caller'>): 'person' | 'system' {
  return call.caller.kind === 'user' ? 'person' : 'system';
}
