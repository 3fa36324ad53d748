import { useState } from 'react';

const PREFIX = 'agent-console.draft.';

/** Returns a named text that is persisted in local storage until cleared. */
export function useDraft(name: string, initial = ''): readonly [string, (text: string) => void] {
  const key = PREFIX + name;
  const [text, setText] = useState(() => initial || (localStorage.getItem(key) ?? ''));
  const save = (next: string) => {
    setText(next);
    try {
      if (next === '') localStorage.removeItem(key);
      else localStorage.setItem(key, next);
    } catch {
      // If storage is full or disabled, the draft lasts until the page is closed.
    }
  };
  return [text, save];
}
