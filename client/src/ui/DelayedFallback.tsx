import { type ReactNode, useEffect, useState } from 'react';

/** Faster responses show no loading state. */
const PATIENCE_MS = 300;

/** Renders its children after a delay, to avoid flashing loading states. */
export function DelayedFallback({ children }: { children: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return late ? children : null;
}
