import { create } from 'zustand';

const PREFIX = 'agent-console.draft.';

/** Drafts used since the page was opened; local storage contains all drafts. */
const useDrafts = create<Readonly<Record<string, string>>>(() => ({}));

/**
 * Returns a named draft, which is stored in this browser until it is sent or cleared, and a function that changes it.
 */
export function useDraft(name: string): readonly [string, (text: string) => void] {
  const known = useDrafts((all) => all[name]);
  return [known ?? stored(name), (text) => save(name, text)];
}

/** Removes the sent text from a draft, even if another dialog has opened the draft in the meantime. */
export function removeSent(name: string, sent: string): void {
  save(name, unsentPart(useDrafts.getState()[name] ?? stored(name), sent));
}

/**
 * Returns what a person typed while `sent` was being sent: the text after it, or all of `now` if it starts differently.
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
