import { type ReactNode, useEffect, useState } from 'react';

/** Delay in milliseconds before a loading state is shown. Faster responses show none. */
const DELAY_MS = 300;

/** Renders its children after a delay, to avoid flashing loading states. */
export function DelayedFallback({ children }: { children: ReactNode }) {
  const [isVisible, setVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return isVisible ? children : null;
}
