import type { Worker } from '@agent-console/shared/models/worker';
import type { FormEvent } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { TextInput } from '../../ui/Field.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { unsentPart } from '../../ui/use-draft.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { AnswerKeys } from '../approvals/ApprovalAnswers.tsx';
import { useEnteredAnswer } from './entered-answers.ts';

/**
 * Poll interval in milliseconds. A screen with a question rarely changes, and the screen is fetched again after each
 * key press.
 */
const POLL_MS = 3_000;
/** Number of lines shown from the end of the screen, where the question is. */
const LINES_MAX = 14;

/**
 * Keys that answer the question from anywhere on the page while the inbox item is selected. Enter and Escape have only
 * buttons, because the page uses these keys for other actions.
 */
const ANSWERS = ['y', 'n', '1', '2', '3'].map((key) => ({ id: key, label: key }));
const KEYS = [
  ...ANSWERS.map(({ label }) => ({ label, data: label })),
  { label: 'Enter', data: '\r' },
  { label: 'Esc', data: '\x1b' },
];

/**
 * The agent's screen, with keys and a text field to answer the question on it. With `globalKeys`, the keys work
 * anywhere on the page. `question` is the key under which the typed text is kept.
 */
export function ScreenAnswer(props: { agent: Worker; question: string; shown: boolean; globalKeys: boolean }) {
  const { agent, question, shown, globalKeys } = props;
  const { id: workerId, sessionId } = agent;
  const [text, setText] = useEnteredAnswer(sessionId, question);
  const screen = useOperationQuery('workers.screen', { workerId }, { enabled: shown, refetchInterval: POLL_MS });
  const typed = (_: unknown, { data = '' }: { data?: string | undefined }) => {
    if (data.length > 1 && data.endsWith('\r')) setText((now) => unsentPart(now, data.slice(0, -1)));
  };
  const type = useOperationMutation('workers.input', {
    onSuccess(output, input) {
      typed(output, input);
      void screen.refetch();
    },
    onLateSuccess: typed,
  });
  const lines = shown && screen.data !== undefined ? lastLines(screen.data.text) : undefined;
  const settled = useSettled(lines);
  const press = (data: string) => {
    if (settled && !type.isPending) type.mutate({ workerId, data });
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    // A text is not sent right after the question has appeared, because the person may have typed it for an earlier
    // question.
    if (settled && text !== '' && !type.isPending) type.mutate({ workerId, data: `${text}\r` });
  };
  return (
    <div className="flex flex-col gap-2">
      {globalKeys ? <AnswerKeys keys={ANSWERS} onPress={press} /> : null}
      {lines === undefined ? null : (
        <pre className="max-h-60 overflow-auto rounded-md border border-line bg-sunken p-2 font-mono text-sm leading-4">
          <UntrustedText text={lines} />
        </pre>
      )}
      <div className="flex flex-wrap items-center gap-1.5">
        <form className="flex min-w-48 flex-1 gap-1.5" onSubmit={send}>
          <TextInput
            aria-label="Answer"
            data-answer
            enterKeyHint="send"
            mono
            onChange={({ target: { value } }) => setText(() => value)}
            placeholder="Type an answer"
            value={text}
          />
          <Button busy={type.isPending} className="h-8" disabled={text === ''} kind="primary" type="submit">
            Answer
          </Button>
        </form>
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">Keys that answer the question</legend>
          {KEYS.map(({ label, data }) => (
            <Button
              className="h-8 min-w-8 px-2 font-mono text-sm max-md:min-w-10"
              busy={type.isPending}
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
