import { useRef } from 'react';

/**
 * Returns wrappers that never change and call the functions of the latest render. Only for event handlers: during
 * rendering, a wrapper may call an outdated function.
 */
export function useStableCallbacks<T extends Record<string, (...args: never[]) => unknown>>(functions: T): T {
  const latest = useRef(functions);
  latest.current = functions;
  const stable = useRef<T>(undefined);
  stable.current ??= Object.fromEntries(
    Object.keys(functions).map((name) => [name, (...args: never[]) => latest.current[name]?.(...args)]),
  ) as T;
  return stable.current;
}
