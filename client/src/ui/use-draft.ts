import { useState } from 'react';

const PREFIX = 'agent-console.draft.';

/** A named text, persisted in local storage until cleared. */
export function useDraft(name: string, given = ''): readonly [string, (text: string) => void] {
  const key = PREFIX + name;
  const [text, setText] = useState(() => given || (localStorage.getItem(key) ?? ''));
  const keep = (next: string) => {
    setText(next);
    try {
      if (next === '') localStorage.removeItem(key);
      else localStorage.setItem(key, next);
    } catch {
      // Storage is full or disabled: the draft lasts until the page is closed.
    }
  };
  return [text, keep];
}
