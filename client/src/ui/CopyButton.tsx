import { type ComponentProps, useEffect, useState } from 'react';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';

const RESULT_MS = 1_500;
const COPY = 'M6 5.5h6.5v7.5H6zM10 3H3.5v7.5';
const DONE = 'M3.5 8.5l3 3 6-7';
const FAILED = 'M4 4l8 8M12 4l-8 8';

/**
 * Button that copies a text and shows whether that succeeded.
 * @param props.icon whether an icon takes the place of the label
 */
export function CopyButton(
  props: { text: string; label?: string; icon?: boolean } & Pick<ComponentProps<typeof Button>, 'className' | 'kind'>,
) {
  const { text, label = 'Copy', icon = false, className = 'min-w-16', ...button } = props;
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
    <Button
      {...button}
      aria-live="polite"
      className={className}
      onClick={() => void copy()}
      title={icon ? label : undefined}
    >
      {icon ? (
        <>
          <span className="sr-only">{result ?? label}</span>
          <Icon className="shrink-0" size={16} strokeLinecap="round" strokeLinejoin="round" strokeWidth="1.25">
            <path d={result === undefined ? COPY : result === 'Copied' ? DONE : FAILED} />
          </Icon>
        </>
      ) : (
        (result ?? label)
      )}
    </Button>
  );
}
