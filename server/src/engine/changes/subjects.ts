import type { SubjectKind } from '@agent-console/shared/models/event';

/** Returns the subject of an event about this row, and the session in whose history the event appears. */
export function about(kind: SubjectKind, { id, sessionId }: { id: string; sessionId: string }) {
  return { subject: { kind, id }, sessionId };
}

export function aboutSession(sessionId: string) {
  return about('session', { id: sessionId, sessionId });
}

/**
 * Returns the subject of an event about an orchestration. The event belongs to the history of the session that created
 * the orchestration, so that callers who cannot see that session do not see the event.
 */
export function aboutOrchestration({ id, createdBySessionId }: { id: string; createdBySessionId: string | null }) {
  return { subject: { kind: 'orchestration', id }, sessionId: createdBySessionId } as const;
}
