import type { EventHub } from '../../ports/events.ts';

/** Those who watch terminals, asked again whether they may when who sees a session has changed. */
export interface Viewers {
  /** `look` is called then; the answer ends that. */
  add(sessionId: string, look: () => void): () => void;
  close(): void;
}

export function createViewers(events: Pick<EventHub, 'onEvents'>): Viewers {
  const viewers = new Map<string, Set<() => void>>();
  const close = events.onEvents((committed) => {
    for (const { event, sessionId } of committed) {
      if (event.type !== 'session.updated' || event.data.visibility === undefined) continue;
      for (const look of viewers.get(sessionId ?? '') ?? []) look();
    }
  });
  return {
    add(sessionId, look) {
      const beside = viewers.get(sessionId) ?? new Set();
      viewers.set(sessionId, beside.add(look));
      return () => {
        beside.delete(look);
        if (beside.size === 0) viewers.delete(sessionId);
      };
    },
    close,
  };
}
