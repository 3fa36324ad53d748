import { create } from 'zustand';
import { onStoredElsewhere } from './local-storage.ts';

const PREFIX = 'agent-console.draft.';

/** Drafts that were changed since the page was opened, by name. Local storage contains all drafts. */
const useDrafts = create<Readonly<Record<string, string>>>(() => ({}));

// Shows what is typed in another tab. Otherwise, this tab would overwrite it, or send again what was sent there.
onStoredElsewhere((key) => {
  if (!key.startsWith(PREFIX)) return;
  const name = key.slice(PREFIX.length);
  useDrafts.setState({ [name]: stored(name) });
});

/**
 * Returns a named draft, which is stored in this browser until it is sent or cleared, and a function that changes it.
 */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const known = useDrafts((all) => all[name]);
  return [known ?? stored(name), (text) => save(name, text)];
}

/** Removes the sent text from a draft. Text that a person has typed in the meantime remains. */
export function removeSent(name: string, sent: string): void {
  save(name, unsentPart(useDrafts.getState()[name] ?? stored(name), sent));
}

/**
 * Returns what a person typed after `sent` while it was being sent. If `now` does not start with `sent`, returns all of
 * `now`.
 */
export function unsentPart(now: string, sent: string): string {
  return now.startsWith(sent) ? now.slice(sent.length).replace(/^\n/, '') : now;
}

function stored(name: string): string {
  return localStorage.getItem(PREFIX + name) ?? '';
}

function save(name: string, text: string): void {
  useDrafts.setState({ [name]: text });
  try {
    if (text === '') localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, text);
  } catch {
    // Writing fails if local storage is full or disabled. The draft then lasts only until the page is closed.
  }
}
