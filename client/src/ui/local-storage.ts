import { useCallback, useState } from 'react';

/** Returns a parsed JSON value from local storage, or the fallback if it is missing or invalid. */
export function readStored<T>(name: string, fallback: T, isValid: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return isValid(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

/** Stores a JSON value; `undefined` removes it. */
export function writeStored(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Writing fails if local storage is full or disabled. The value then lasts only until the page is closed.
  }
}

/** Calls `listener` with the name of each value that another tab has stored or removed. */
export function onStoredElsewhere(listener: (name: string) => void): void {
  // In tests that run without a browser, there is no `window`, and there are no other tabs.
  globalThis.window?.addEventListener('storage', ({ key }) => {
    if (key !== null) listener(key);
  });
}

/**
 * Returns a value that is stored in local storage, and a function that changes it. The value is one of `choices`, by
 * default the first.
 */
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
