import { type ComponentProps, useEffect, useState } from 'react';
import { Button } from './Button.tsx';

const RESULT_MS = 1_500;

/** Copies a text and shows the result. */
export function CopyButton(
  props: { text: string; label?: string } & Pick<ComponentProps<typeof Button>, 'className' | 'kind'>,
) {
  const { text, label = 'Copy', className = 'min-w-16', ...button } = props;
  const [result, setResult] = useState<string>();
  useEffect(() => {
    if (result === undefined) return undefined;
    const timer = setTimeout(() => setResult(undefined), RESULT_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setResult('Copied'),
      () => setResult('Copy failed'),
    );
  return (
    <Button {...button} aria-live="polite" className={className} onClick={() => void copy()}>
      {result ?? label}
    </Button>
  );
}
