import { create } from 'zustand';
import { endOf } from './badge.ts';
import { useSessions } from './sessions-store.ts';

const KEY = 'agent-console.seen';

export interface Seen {
  /** When this browser first looked: what ended before is nobody's news. */
  since: string;
  /** The newest end of each session that someone saw here. */
  marks: Readonly<Record<string, string>>;
}

/** What was looked at in this browser. */
export const useSeen = create<Seen>(stored);

/** The newest end of a session that counts as looked at. */
export function seenOf({ since, marks }: Seen, sessionId: string): string {
  return marks[sessionId] ?? since;
}

/** Someone has seen how the session ended. */
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
    // Without room it is remembered until the page is closed.
  }
}

function stored(): Seen {
  try {
    const { since, marks } = JSON.parse(localStorage.getItem(KEY) ?? '') as Seen;
    if (typeof since === 'string' && typeof marks === 'object') return { since, marks };
  } catch {
    // Nothing, or not ours.
  }
  const seen: Seen = { since: new Date().toISOString(), marks: {} };
  try {
    localStorage.setItem(KEY, JSON.stringify(seen));
  } catch {
    // As above.
  }
  return seen;
}

// Read in one tab is read in the others.
window.addEventListener('storage', ({ key }) => {
  if (key === KEY) useSeen.setState(stored(), true);
});
