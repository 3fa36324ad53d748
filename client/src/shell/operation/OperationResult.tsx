import type { OperationName } from '@agent-console/shared/operations/table';
import type { NavigateOptions } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';

/** Maximum number of characters of a result that are shown. Copying includes the whole result. */
const SHOWN_CHARS = 50_000;

export function OperationResult(props: {
  name: OperationName;
  output: unknown;
  onOpen(target: NavigateOptions): void;
}) {
  const { name, output, onOpen } = props;
  const text = JSON.stringify(output, null, 2) ?? '';
  const target = targetOf(name, output);
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll to each new result
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [output]);
  return (
    <section aria-label="Result" className="flex flex-col gap-1" ref={box}>
      <div className="flex items-center gap-2">
        <h3 className="flex-1 font-medium">Result</h3>
        <span className="sr-only" role="status">
          Operation complete
        </span>
        {target === undefined ? null : <Button onClick={() => onOpen(target)}>Open</Button>}
        <CopyButton text={text} />
      </div>
      <pre className="max-h-[40vh] select-text overflow-auto whitespace-pre-wrap break-words rounded-md border border-line bg-sunken p-2 font-mono text-sm">
        <UntrustedText text={text.slice(0, SHOWN_CHARS)} />
        {text.length > SHOWN_CHARS ? '\n… truncated; copy the result to get all of it' : ''}
      </pre>
    </section>
  );
}

function targetOf(name: OperationName, output: unknown): NavigateOptions | undefined {
  if (typeof output !== 'object' || output === null) return undefined;
  const { id, sessionId, repositoryId } = output as Record<string, unknown>;
  const [noun = '', verb = ''] = name.split('.');
  if (verb.startsWith('remove')) return undefined;
  const session = noun === 'sessions' && typeof id === 'string' ? id : sessionId;
  if (typeof session === 'string') return { to: '/sessions/$sessionId', params: { sessionId: session } };
  const repository = noun === 'repositories' && typeof id === 'string' ? id : repositoryId;
  if (typeof repository === 'string')
    return { to: '/repositories/$repositoryId', params: { repositoryId: repository } };
  return undefined;
}
