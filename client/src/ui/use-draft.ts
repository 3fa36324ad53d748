import { useState } from 'react';

const PREFIX = 'agent-console.draft.';

/** A text that is kept in this browser until it is cleared, under a name of its own. */
export function useDraft(name: string, given = ''): readonly [string, (text: string) => void] {
  const key = PREFIX + name;
  const [text, setText] = useState(() => given || (localStorage.getItem(key) ?? ''));
  const keep = (next: string) => {
    setText(next);
    try {
      if (next === '') localStorage.removeItem(key);
      else localStorage.setItem(key, next);
    } catch {
      // Without room it is kept until the page is closed.
    }
  };
  return [text, keep];
}
