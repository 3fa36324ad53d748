import { type ReactNode, useEffect, useState } from 'react';

/** Answers faster than this need no picture of waiting. */
const PATIENCE_MS = 300;

/** Shows its children only when waiting has become long enough to notice. */
export function DelayedFallback({ children }: { children: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return late ? children : null;
}
