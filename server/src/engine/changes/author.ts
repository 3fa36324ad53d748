import type { Call } from '../../domain/call.ts';
import { actorOf, SYSTEM_ACTOR } from '../../domain/caller.ts';
import type { JobRow } from '../../ports/rows.ts';
import type { Author } from '../../ports/storage.ts';

/** Author of changes that no caller requested, such as exits, restarts and reminders. */
export const SYSTEM: Author = { actor: SYSTEM_ACTOR };

export function authorOf(call: Call): Author {
  const { caller, idempotency } = call;
  return {
    actor: actorOf(caller),
    ...(caller.kind === 'worker' ? { viaSessionId: caller.sessionId } : {}),
    ...(idempotency === undefined ? {} : { idempotency }),
  };
}

export function sourceOf(call: Call): { sourceKind: 'person' | 'session'; sourceId: string } {
  const { caller } = call;
  if (caller.kind === 'worker') return { sourceKind: 'session', sourceId: caller.sessionId };
  return { sourceKind: 'person', sourceId: caller.kind === 'user' ? caller.userId : 'nobody' };
}

export function sourceOfOrchestration(orchestrationId: string): { sourceKind: 'orchestration'; sourceId: string } {
  return { sourceKind: 'orchestration', sourceId: orchestrationId };
}

export function outcomeSourceOf(call: Pick<Call, 'caller'>): 'person' | 'system' {
  return call.caller.kind === 'user' ? 'person' : 'system';
}

export function authorOfJob({ actor }: Pick<JobRow, 'actor'>): Author {
  const sessionId = /^session:(.+)$/.exec(actor)?.[1];
  return sessionId === undefined ? { actor } : { actor, viaSessionId: sessionId };
}
