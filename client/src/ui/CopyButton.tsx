import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';

const SAID_MS = 1_500;

/** Puts a text into the clipboard and says so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('CopyableText'),
      () => setSaid('Select and copy it yourself'),
    );
  return (
    <Button aria-live="polite" className="min-w-16" onClick={() => void copy()}>
      {said ?? label}
    </Button>
  );
}
