import type { OutputOf } from '@agent-console/shared/operations/table';
import { pluralize } from '@agent-console/shared/pluralize';
import { useRef } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { useKeyHints } from '../../shell/key-hints.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { type Comment, markAsSent, promptOf, promptTooLong } from './comments.ts';
import type { Diff } from './types.ts';

/** Sends all unsent comments as one prompt. They count as unsent until the console has accepted the prompt. */
export function SendComments(props: {
  comments: readonly Comment[];
  diff: Diff;
  sessionId: string;
  /**
   * @param focused whether the button had the focus; if so, the caller must move the focus, because the button
   * disappears
   */
  onSent: (ids: readonly string[], taskId: string, focused: boolean) => void;
}) {
  const { comments, diff, sessionId, onSent } = props;
  const box = useRef<HTMLDivElement>(null);
  const sending = useRef<readonly string[]>([]);
  const announce = ({ queued, queuePosition }: OutputOf<'sessions.prompt'>) =>
    toast({
      kind: 'plain',
      title: 'Comments sent',
      text: queued ? `The prompt is queued at position ${queuePosition ?? 1}.` : 'Sent to the agent.',
    });
  const send = useOperationMutation('sessions.prompt', {
    onSuccess(result) {
      announce(result);
      onSent(sending.current, result.taskId, box.current?.contains(document.activeElement) === true);
    },
    onLateSuccess(result) {
      announce(result);
      markAsSent(sessionId, sending.current, result.taskId);
    },
    onLateError: failureToast('Could not send the comments'),
  });
  const submit = useRef<HTMLButtonElement>(null);
  const { withKeys } = useKeyHints();
  useShortcuts(shortcutsOf(KEYS.diff, { 'send-comments': () => submit.current?.click() }));
  if (comments.length === 0) return null;
  const prompt = promptOf(comments, diff);
  const problem = promptTooLong(prompt) ?? send.error?.message;
  const count = pluralize(comments.length, 'comment');
  return (
    <div className="relative shrink-0 max-md:ml-auto" ref={box}>
      <Button
        busy={send.isPending}
        disabled={promptTooLong(prompt) !== undefined}
        kind="primary"
        onClick={() => {
          sending.current = comments.map(({ id }) => id);
          send.mutate({ sessionId, prompt });
        }}
        ref={submit}
        title={`${withKeys('Send', 'send-comments')}\n\n${prompt}`}
      >
        Send {count}
      </Button>
      {problem !== undefined && (
        <div className="absolute top-full right-0 z-30 mt-1 w-80 rounded-md bg-bg shadow-raised">
          <Problem error={{ message: problem }} />
        </div>
      )}
    </div>
  );
}
