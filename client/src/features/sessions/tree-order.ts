import type { Session } from '@agent-console/shared/models/session';

export type Sessions = Readonly<Record<string, Session>>;

/** Returns the id of the session below which the tree shows a session; null for a root. */
export function parentIdOf({ genealogy }: Session): string | null {
  return genealogy.parentSessionId ?? genealogy.forkedFromSessionId;
}

/**
 * Inserts the ids of new sessions into `order`: roots at the end, children after their siblings. The ids that `order`
 * already contains keep their order.
 */
export function insertSessions(
  order: readonly string[],
  added: readonly Session[],
  sessions: Sessions,
): readonly string[] {
  const known = new Set(order);
  const missing = added.filter(({ id }) => !known.has(id));
  if (missing.length === 0) return order;
  const result = [...order];
  const put = (session: Session): void => {
    if (known.has(session.id)) return;
    known.add(session.id);
    const parent = parentOf(session, sessions);
    if (parent === undefined) {
      result.push(session.id);
      return;
    }
    put(parent);
    let at = result.indexOf(parent.id) + 1;
    while (at < result.length && isBelow(result[at] ?? '', parent.id, sessions)) at += 1;
    result.splice(at, 0, session.id);
  };
  for (const session of missing) put(session);
  return result;
}

export function omitSessions(sessions: Sessions, ids: readonly string[]): Sessions {
  return Object.fromEntries(Object.entries(sessions).filter(([id]) => !ids.includes(id)));
}

/** Returns the session below which the tree shows a session; undefined for a root or if that session is not loaded. */
export function parentOf(session: Session, sessions: Sessions): Session | undefined {
  const parent = parentIdOf(session);
  return parent === null ? undefined : sessions[parent];
}

function isBelow(id: string, ancestorId: string, sessions: Sessions): boolean {
  for (let at = sessions[id]; at !== undefined; at = parentOf(at, sessions)) {
    if (parentIdOf(at) === ancestorId) return true;
  }
  return false;
}
