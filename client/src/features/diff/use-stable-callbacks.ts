import { useRef } from 'react';

/** The same functions for as long as the component lives; each call reaches what they are now. For handlers only. */
export function useStableCallbacks<T extends Record<string, (...args: never[]) => unknown>>(functions: T): T {
  const latest = useRef(functions);
  latest.current = functions;
  const stable = useRef<T>(undefined);
  stable.current ??= Object.fromEntries(
    Object.keys(functions).map((name) => [name, (...args: never[]) => latest.current[name]?.(...args)]),
  ) as T;
  return stable.current;
}
