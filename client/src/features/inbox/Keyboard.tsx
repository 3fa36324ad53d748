import { type FormEvent, useState } from 'react';
import { useAction, useAnswer } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { TextInput } from '../../ui/Field.tsx';
import { Given } from '../../ui/Given.tsx';
import { Problem } from '../../ui/Problem.tsx';

/** A screen that asks changes seldom; what is typed makes an event. */
const ASK_MS = 3_000;
/** Lines from the end: a question stands at the bottom. */
const LINES_MAX = 14;

const KEYS = [
  { label: 'y', data: 'y' },
  { label: 'n', data: 'n' },
  { label: '1', data: '1' },
  { label: '2', data: '2' },
  { label: '3', data: '3' },
  { label: 'Enter', data: '\r' },
  { label: 'Esc', data: '\x1b' },
] as const;

/** What an agent's screen says, and a person's keys for it. */
export function Keyboard({ workerId, shown }: { workerId: string; shown: boolean }) {
  const [text, setText] = useState('');
  const screen = useAnswer('workers.screen', { workerId }, { enabled: shown, refetchInterval: ASK_MS });
  const type = useAction('workers.input', { onSuccess: () => void screen.refetch() });
  const send = (event: FormEvent) => {
    event.preventDefault();
    type.mutate({ workerId, data: `${text}\r` }, { onSuccess: () => setText('') });
  };
  return (
    <div className="flex flex-col gap-2">
      {shown && screen.data !== undefined ? (
        <pre className="max-h-60 overflow-auto rounded-md border border-line bg-sunken p-2 font-mono text-sm leading-4">
          <Given text={lastLines(screen.data.text)} />
        </pre>
      ) : null}
      <div className="flex flex-wrap items-center gap-1.5">
        <form className="flex min-w-48 flex-1 gap-1.5" onSubmit={send}>
          <TextInput
            aria-label="Answer"
            data-answer
            enterKeyHint="send"
            mono
            onChange={(event) => setText(event.target.value)}
            placeholder="Type an answer"
            value={text}
          />
          <Button busy={type.isPending} className="h-8 max-md:h-10" disabled={text === ''} kind="primary" type="submit">
            Answer
          </Button>
        </form>
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">Keys</legend>
          {KEYS.map(({ label, data }) => (
            <Button
              className="h-8 min-w-8 px-2 font-mono text-sm max-md:h-10 max-md:min-w-10"
              disabled={type.isPending}
              key={label}
              onClick={() => type.mutate({ workerId, data })}
              title={`Press ${label}`}
            >
              {label}
            </Button>
          ))}
        </fieldset>
      </div>
      <Problem error={type.error ?? screen.error} />
    </div>
  );
}

function lastLines(text: string): string {
  return text.replace(/\s+$/, '').split('\n').slice(-LINES_MAX).join('\n');
}
