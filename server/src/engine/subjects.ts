import type { SubjectKind } from '@agent-console/shared/models/event';

/** Returns the subject of an event about this row, and the session that has the event in its history. */
export function about(kind: SubjectKind, { id, sessionId }: { id: string; sessionId: string }) {
  return { subject: { kind, id }, sessionId };
}

/** Returns the subject of an event about a session. */
export function aboutSession(sessionId: string) {
  return about('session', { id: sessionId, sessionId });
}
