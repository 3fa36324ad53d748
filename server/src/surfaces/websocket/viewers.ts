import type { EventHub } from '../../ports/events.ts';

export type Viewers = ReturnType<typeof createViewers>;

/**
 * Tracks the viewers of terminals. When the visibility of a session changes, the access of its viewers is checked
 * again.
 */
export function createViewers(events: Pick<EventHub, 'onEvents'>) {
  const viewers = new Map<string, Set<() => void>>();
  const close = events.onEvents((committed) => {
    for (const { event, sessionId } of committed) {
      if (event.type !== 'session.updated' || event.data.visibility === undefined) continue;
      for (const recheck of viewers.get(sessionId ?? '') ?? []) recheck();
    }
  });
  return {
    /** Calls `recheck` after each change of the session's visibility. Returns a function that removes the viewer. */
    add(sessionId: string, recheck: () => void): () => void {
      const others = viewers.get(sessionId) ?? new Set();
      viewers.set(sessionId, others.add(recheck));
      return () => {
        others.delete(recheck);
        if (others.size === 0) viewers.delete(sessionId);
      };
    },
    close,
  };
}
