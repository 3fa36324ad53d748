import { create } from 'zustand';
import { readStored, writeStored } from '../../ui/local-storage.ts';
import { taskEndOf } from './badge.ts';
import { useSessions } from './sessions-store.ts';

const KEY = 'agent-console.seen';

export interface Seen {
  /** Time of this browser's first visit; earlier outcomes count as seen. */
  since: string;
  /** End of the last seen task, by session id. */
  marks: Readonly<Record<string, string>>;
}

/** Times up to which outcomes were seen in this browser. */
export const useSeen = create<Seen>(stored);

/** Returns the time up to which outcomes of a session count as seen. */
export function seenOf({ since, marks }: Seen, sessionId: string): string {
  return marks[sessionId] ?? since;
}

/** Marks the outcome of a session's task as seen. */
export function markSeen(sessionId: string): void {
  const { sessions, loaded } = useSessions.getState();
  const session = sessions[sessionId];
  const end = session && taskEndOf(session);
  const seen = useSeen.getState();
  if (end === undefined || end <= seenOf(seen, sessionId)) return;
  const known = Object.entries(seen.marks).filter(([id]) => !loaded || sessions[id] !== undefined);
  useSeen.setState({ since: seen.since, marks: { ...Object.fromEntries(known), [sessionId]: end } }, true);
  writeStored(KEY, useSeen.getState());
}

function stored(): Seen {
  const isSeen = (value: unknown): value is Seen => {
    const { since, marks } = (value ?? {}) as Partial<Seen>;
    return typeof since === 'string' && typeof marks === 'object';
  };
  const known = readStored<Seen | undefined>(KEY, undefined, isSeen);
  if (known !== undefined) return known;
  const fresh: Seen = { since: new Date().toISOString(), marks: {} };
  writeStored(KEY, fresh);
  return fresh;
}

// Applies changes of the marks that were made in other tabs.
window.addEventListener('storage', ({ key }) => {
  if (key === KEY) useSeen.setState(stored(), true);
});
