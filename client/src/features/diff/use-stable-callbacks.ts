import { useRef } from 'react';

/** Referentially stable wrappers that call the latest functions. For event handlers only. */
export function useStableCallbacks<T extends Record<string, (...args: never[]) => unknown>>(functions: T): T {
  const latest = useRef(functions);
  latest.current = functions;
  const stable = useRef<T>(undefined);
  stable.current ??= Object.fromEntries(
    Object.keys(functions).map((name) => [name, (...args: never[]) => latest.current[name]?.(...args)]),
  ) as T;
  return stable.current;
}
