import type { PromptImage } from '@agent-console/shared/models/image';
import { useEffect } from 'react';
import { create } from 'zustand';
import { onStoredElsewhere, readStored, writeStored } from '../../../ui/local-storage.ts';

const PREFIX = 'agent-console.draft.';
/** Matches storage keys of session drafts, but not those of form drafts, such as `agent-console.draft.delegate`. */
const OF_SESSION = /^agent-console\.draft\.([0-9a-f]{8}-[0-9a-f-]{27})$/;
/** Maximum sessions with a stored draft. The oldest drafts that are not shown are dropped. */
const DRAFTS_MAX = 50;

interface Attempt {
  text: string;
  /** Ids of the prompt's images. Missing if an older version of the dashboard stored the draft. */
  images?: readonly string[];
  key: string;
}

/** Unsent prompt of a session. */
export interface Draft {
  text: string;
  /** Uploaded images that will be sent with the prompt. */
  images?: readonly PromptImage[];
  /**
   * The last attempt to send, while it is pending or if its response was lost. Sending the same text and images with
   * the same key does not duplicate the prompt.
   */
  attempt?: Attempt;
  /** Time of the last change, in milliseconds since the epoch. */
  at: number;
}

/** Drafts that were used since the page was opened, as a cache of the drafts in local storage. */
const useDrafts = create<Readonly<Record<string, Draft>>>(() => ({}));

/** Number of components that show the draft of a session, by session id. */
const shown = new Map<string, number>();

// Shows what is typed in another tab. Otherwise, this tab would overwrite it, or send again what was sent there.
onStoredElsewhere((key) => {
  const id = OF_SESSION.exec(key)?.[1];
  if (id === undefined) return;
  const draft = stored(id);
  // A tab removes a draft only to make room for a newer one.
  if (draft === undefined && shown.has(id)) restore(id);
  else useDrafts.setState({ [id]: draft ?? EMPTY });
});

export function useDraft(sessionId: string): Draft {
  const known = useDrafts((all) => all[sessionId]);
  useEffect(() => {
    shown.set(sessionId, (shown.get(sessionId) ?? 0) + 1);
    useDrafts.setState({ [sessionId]: draftOf(sessionId) });
    restore(sessionId);
    return () => {
      const rest = (shown.get(sessionId) ?? 0) - 1;
      if (rest > 0) shown.set(sessionId, rest);
      else shown.delete(sessionId);
    };
  }, [sessionId]);
  return known ?? draftOf(sessionId);
}

export function draftOf(sessionId: string): Draft {
  return useDrafts.getState()[sessionId] ?? stored(sessionId) ?? EMPTY;
}

/**
 * Stores a draft in this browser, so that it survives a reload. If `images` is omitted, the stored images are kept. A
 * draft that became empty is stored, too, so that other tabs do not mistake it for one that was dropped.
 */
export function saveDraft(sessionId: string, draft: Omit<Draft, 'at'>): void {
  const { images = draftOf(sessionId).images ?? [] } = draft;
  const kept = { ...draft, images, at: Date.now() };
  useDrafts.setState({ [sessionId]: kept });
  if (stored(sessionId) === undefined) {
    if (isEmpty(kept)) return;
    makeRoom();
  }
  writeStored(PREFIX + sessionId, kept);
}

/** Stores a shown draft again if it was dropped, so that nobody loses a text that is on the screen. */
function restore(sessionId: string): void {
  if (stored(sessionId) === undefined) saveDraft(sessionId, draftOf(sessionId));
}

/**
 * Returns the idempotency key for a prompt: that of the last attempt if it had the same text and images, otherwise a
 * new one.
 */
export function keyOfAttempt(last: Attempt | undefined, text: string, images: readonly string[]): string {
  const isSame = last?.text === text && (last.images ?? []).join() === images.join();
  return isSame ? last.key : crypto.randomUUID();
}

const EMPTY: Draft = { text: '', at: 0 };

function isEmpty({ text, images = [] }: Draft): boolean {
  return text === '' && images.length === 0;
}

function stored(sessionId: string): Draft | undefined {
  const isDraft = (value: unknown): value is Draft => typeof (value as Draft | null)?.text === 'string';
  return readStored<Draft | undefined>(PREFIX + sessionId, undefined, isDraft);
}

/** If DRAFTS_MAX is reached, drops drafts that this tab does not show: empty drafts first, then the oldest. */
function makeRoom(): void {
  const ids = Object.keys(localStorage).flatMap((key) => OF_SESSION.exec(key)?.[1] ?? []);
  if (ids.length < DRAFTS_MAX) return;
  const droppable = ids
    .filter((id) => !shown.has(id))
    .map((id) => ({ id, draft: stored(id) ?? EMPTY }))
    .sort((a, b) => Number(isEmpty(b.draft)) - Number(isEmpty(a.draft)) || a.draft.at - b.draft.at);
  for (const { id } of droppable.slice(0, ids.length - DRAFTS_MAX + 1)) localStorage.removeItem(PREFIX + id);
}
