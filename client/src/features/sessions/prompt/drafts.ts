import type { PromptImage } from '@agent-console/shared/models/image';
import { create } from 'zustand';
import { onStoredElsewhere, readStored, writeStored } from '../../../ui/local-storage.ts';

const PREFIX = 'agent-console.draft.';
/** Matches storage keys of session drafts, but not those of form drafts, such as `agent-console.draft.delegate`. */
const OF_SESSION = /^agent-console\.draft\.([0-9a-f]{8}-[0-9a-f-]{27})$/;
/** Maximum sessions with a stored draft; the oldest drafts are dropped. */
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

// Shows what is typed in another tab. Otherwise, this tab would overwrite it, or send again what was sent there.
onStoredElsewhere((key) => {
  const id = OF_SESSION.exec(key)?.[1];
  if (id !== undefined) useDrafts.setState({ [id]: stored(id) ?? EMPTY });
});

export function useDraft(sessionId: string): Draft {
  const known = useDrafts((all) => all[sessionId]);
  return known ?? draftOf(sessionId);
}

export function draftOf(sessionId: string): Draft {
  return useDrafts.getState()[sessionId] ?? stored(sessionId) ?? EMPTY;
}

/**
 * Stores a draft in this browser, so that it survives a reload. If `images` is omitted, the stored images are kept. An
 * empty draft is removed.
 */
export function saveDraft(sessionId: string, draft: Omit<Draft, 'at'>): void {
  const { images = draftOf(sessionId).images ?? [] } = draft;
  const kept = { ...draft, images, at: Date.now() };
  useDrafts.setState({ [sessionId]: kept });
  const isEmpty = draft.text === '' && images.length === 0;
  if (!isEmpty && localStorage.getItem(PREFIX + sessionId) === null) makeRoom();
  writeStored(PREFIX + sessionId, isEmpty ? undefined : kept);
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

function stored(sessionId: string): Draft | undefined {
  const isDraft = (value: unknown): value is Draft => typeof (value as Draft | null)?.text === 'string';
  return readStored<Draft | undefined>(PREFIX + sessionId, undefined, isDraft);
}

function makeRoom(): void {
  const ids = Object.keys(localStorage).flatMap((key) => OF_SESSION.exec(key)?.[1] ?? []);
  if (ids.length < DRAFTS_MAX) return;
  const ages = ids.map((id) => ({ id, at: stored(id)?.at ?? 0 })).sort((a, b) => a.at - b.at);
  for (const { id } of ages.slice(0, ids.length - DRAFTS_MAX + 1)) localStorage.removeItem(PREFIX + id);
}
