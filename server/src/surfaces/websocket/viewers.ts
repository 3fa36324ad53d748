import type { EventHub } from '../../ports/events.ts';

/** Viewers of terminals. Their access is checked again when the visibility of a session changes. */
export interface Viewers {
  /** Calls `recheck` after each change. Returns a function that removes the viewer. */
  add(sessionId: string, recheck: () => void): () => void;
  close(): void;
}

export function createViewers(events: Pick<EventHub, 'onEvents'>): Viewers {
  const viewers = new Map<string, Set<() => void>>();
  const close = events.onEvents((committed) => {
    for (const { event, sessionId } of committed) {
      if (event.type !== 'session.updated' || event.data.visibility === undefined) continue;
      for (const recheck of viewers.get(sessionId ?? '') ?? []) recheck();
    }
  });
  return {
    add(sessionId, recheck) {
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
