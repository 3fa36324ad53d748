import { aliasOf, type ConsoleEvent } from '@agent-console/shared/models/event';
import type { EventRow } from '../../ports/rows.ts';

/**
 * Converts a stored event to the form that callers receive. `data.sessionId` is the session that the stored data names
 * or, by default, the session whose history contains the event.
 */
export function toPublicEvent(row: EventRow): ConsoleEvent {
  const alias = aliasOf(row.type, row.data);
  return {
    seq: row.seq,
    at: row.at,
    type: row.type,
    ...(alias === undefined ? {} : { alias }),
    subject: { kind: row.subjectKind, id: row.subjectId },
    actor: row.actor,
    ...(row.viaSessionId === null ? {} : { viaSessionId: row.viaSessionId }),
    data: { ...(row.sessionId === null ? {} : { sessionId: row.sessionId }), ...row.data },
  };
}
