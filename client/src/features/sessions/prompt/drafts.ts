import { create } from 'zustand';

const PREFIX = 'agent-console.draft.';
/** Unsent words are kept for this many sessions; the oldest give way. */
const DRAFTS_MAX = 50;

/** Words meant for a session that it has not got. */
export interface Draft {
  text: string;
  /** The attempt whose answer never came: the same words under the same key are the same prompt. */
  attempt?: { text: string; key: string };
  /** Milliseconds since the epoch. */
  at: number;
}

/** Drafts read or written since the page was opened; the browser keeps them all. */
const useDrafts = create<Readonly<Record<string, Draft>>>(() => ({}));

export function useDraft(sessionId: string): Draft {
  const known = useDrafts((all) => all[sessionId]);
  return known ?? draftOf(sessionId);
}

export function draftOf(sessionId: string): Draft {
  return useDrafts.getState()[sessionId] ?? stored(sessionId) ?? EMPTY;
}

/** Keeps words, also over a reload; nothing is kept of empty ones. */
export function saveDraft(sessionId: string, draft: Omit<Draft, 'at'>): void {
  const kept = { ...draft, at: Date.now() };
  useDrafts.setState({ [sessionId]: kept });
  try {
    if (draft.text === '') {
      localStorage.removeItem(PREFIX + sessionId);
      return;
    }
    if (localStorage.getItem(PREFIX + sessionId) === null) makeRoom();
    localStorage.setItem(PREFIX + sessionId, JSON.stringify(kept));
  } catch {
    // Without room the words last until the page is closed.
  }
}

const EMPTY: Draft = { text: '', at: 0 };

function stored(sessionId: string): Draft | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(PREFIX + sessionId) ?? '') as Draft;
    return typeof draft.text === 'string' ? draft : undefined;
  } catch {
    return undefined;
  }
}

function makeRoom(): void {
  const ids = Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX))
    .map((key) => key.slice(PREFIX.length));
  if (ids.length < DRAFTS_MAX) return;
  const ages = ids.map((id) => ({ id, at: stored(id)?.at ?? 0 })).sort((a, b) => a.at - b.at);
  for (const { id } of ages.slice(0, ids.length - DRAFTS_MAX + 1)) localStorage.removeItem(PREFIX + id);
}
