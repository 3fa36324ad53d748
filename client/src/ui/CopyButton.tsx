import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';

const SAID_MS = 1_500;

/** Copies a text and confirms it. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Copy failed'),
    );
  return (
    <Button aria-live="polite" className="min-w-16" onClick={() => void copy()}>
      {said ?? label}
    </Button>
  );
}
