import { create } from 'zustand';
import { endOf } from './badge.ts';
import { useSessions } from './sessions-store.ts';

const KEY = 'agent-console.seen';

export interface Seen {
  /** First visit of this browser: earlier outcomes are not news. */
  since: string;
  /** End of the last task seen, by session. */
  marks: Readonly<Record<string, string>>;
}

/** Read state of this browser. */
export const useSeen = create<Seen>(stored);

/** End of the last task of a session that counts as seen. */
export function seenOf({ since, marks }: Seen, sessionId: string): string {
  return marks[sessionId] ?? since;
}

/** Marks the outcome of a session's task as seen. */
export function markSeen(sessionId: string): void {
  const { sessions, loaded } = useSessions.getState();
  const session = sessions[sessionId];
  const end = session && endOf(session);
  const seen = useSeen.getState();
  if (end === undefined || end <= seenOf(seen, sessionId)) return;
  const known = Object.entries(seen.marks).filter(([id]) => !loaded || sessions[id] !== undefined);
  keep({ since: seen.since, marks: { ...Object.fromEntries(known), [sessionId]: end } });
}

function keep(seen: Seen): void {
  useSeen.setState(seen, true);
  try {
    localStorage.setItem(KEY, JSON.stringify(seen));
  } catch {
    // Storage is full or disabled: the state lasts until the page is closed.
  }
}

function stored(): Seen {
  try {
    const { since, marks } = JSON.parse(localStorage.getItem(KEY) ?? '') as Seen;
    if (typeof since === 'string' && typeof marks === 'object') return { since, marks };
  } catch {
    // Missing or malformed.
  }
  const seen: Seen = { since: new Date().toISOString(), marks: {} };
  try {
    localStorage.setItem(KEY, JSON.stringify(seen));
  } catch {
    // As above.
  }
  return seen;
}

// Synchronizes tabs.
window.addEventListener('storage', ({ key }) => {
  if (key === KEY) useSeen.setState(stored(), true);
});
