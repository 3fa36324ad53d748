import { useCallback, useState } from 'react';

/** What this browser keeps under a name; the fallback where it keeps nothing that makes sense. */
export function readStored<T>(name: string, fallback: T, makesSense: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return makesSense(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

/** Keeps a value in this browser; nothing is kept where there is no room, and the page goes on without. */
export function writeStored(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // The value lives as long as the page.
  }
}

/** A choice that this browser remembers. */
export function useStoredChoice<T extends string>(
  name: string,
  choices: readonly [T, ...T[]],
): [T, (value: T) => void] {
  const isChoice = (value: unknown): value is T => choices.includes(value as T);
  const [value, setValue] = useState(() => readStored(name, choices[0], isChoice));
  const choose = useCallback(
    (next: T) => {
      writeStored(name, next);
      setValue(next);
    },
    [name],
  );
  return [value, choose];
}
