/** Sessions in which a call is about to start the agent. They count towards the limit of live sessions. */
export interface StartingSessions {
  ids(): string[];
  /** Adds a session. The returned function removes it. */
  add(sessionId: string): () => void;
}

/**
 * Creates the list in memory. A restart of the server also ends the calls, so the list need not be stored.
 */
export function createStartingSessions(): StartingSessions {
  const starts = new Set<{ sessionId: string }>();
  return {
    ids: () => [...starts].map(({ sessionId }) => sessionId),
    add(sessionId) {
      const start = { sessionId };
      starts.add(start);
      return () => void starts.delete(start);
    },
  };
}
