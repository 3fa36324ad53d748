import { create } from 'zustand';

const PREFIX = 'agent-console.draft.';
/** Sessions with a stored draft; the oldest are dropped. */
const DRAFTS_MAX = 50;

/** Unsent text for a session. */
export interface Draft {
  text: string;
  /** Attempt whose response was lost: sending the same text with the same key does not duplicate the prompt. */
  attempt?: { text: string; key: string };
  /** Milliseconds since the epoch. */
  at: number;
}

/** Drafts used since the page was opened; local storage has all. */
const useDrafts = create<Readonly<Record<string, Draft>>>(() => ({}));

export function useDraft(sessionId: string): Draft {
  const known = useDrafts((all) => all[sessionId]);
  return known ?? draftOf(sessionId);
}

export function draftOf(sessionId: string): Draft {
  return useDrafts.getState()[sessionId] ?? stored(sessionId) ?? EMPTY;
}

/** Stores a draft across reloads; an empty one is removed. */
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
    // Storage is full or disabled: the draft lasts until the page is closed.
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
