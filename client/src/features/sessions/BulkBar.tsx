import type { ConsoleError } from '@agent-console/shared/errors';
import type { OperationName, RequestOf } from '@agent-console/shared/operations/table';
import { pluralize } from '@agent-console/shared/pluralize';
import { type KeyboardEvent, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { toast } from '../../ui/toasts.ts';
import { refreshSession } from './sessions-store.ts';

type Mode = 'prompt' | 'remove' | undefined;

export function BulkBar(props: {
  sessionIds: readonly string[];
  onClear(): void;
  /**
   * Called after an action that failed for some sessions, with the ids of these sessions. They stay selected, so that
   * the user can retry.
   */
  onKeep(sessionIds: readonly string[]): void;
}) {
  const { sessionIds, onClear, onKeep } = props;
  /**
   * Idempotency keys of failed calls that can be retried, for example because the response was lost, by operation and
   * input. With the same key, a repeated call does not send its prompt twice.
   */
  const keys = useRef(new Map<string, string>());
  const [mode, setMode] = useState<Mode>();
  const [busy, setBusy] = useState(false);
  const [prompt, setPrompt] = useState('');
  const count = pluralize(sessionIds.length, 'session');

  async function run<N extends OperationName>(done: string, name: N, inputOf: (sessionId: string) => RequestOf<N>) {
    setBusy(true);
    const failures: { sessionId: string; message: string }[] = [];
    for (const sessionId of sessionIds) {
      const input = inputOf(sessionId);
      const named = JSON.stringify([name, input]);
      const key = keys.current.get(named) ?? crypto.randomUUID();
      keys.current.delete(named);
      try {
        await call(name, input, { idempotencyKey: key });
      } catch (error) {
        const { message, retryable } = error as ConsoleError;
        failures.push({ sessionId, message });
        if (retryable) keys.current.set(named, key);
      }
      refreshSession(sessionId);
    }
    setBusy(false);
    const [first] = failures;
    if (first === undefined) {
      toast({ id: 'bulk', kind: 'plain', title: `${count} ${done}` });
      onClear();
      return;
    }
    const title = `${failures.length} of ${count} could not be ${done}`;
    toast({ id: 'bulk', kind: 'failed', title, text: first.message });
    onKeep(failures.map(({ sessionId }) => sessionId));
  }
  const send = () => void run('prompted', 'sessions.prompt', (sessionId) => ({ sessionId, prompt }));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setMode(undefined);
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (prompt.trim() !== '' && !busy) send();
  };
  return (
    <section
      aria-label="Selected sessions"
      className="flex shrink-0 flex-col gap-1.5 border-t border-line bg-raised p-2"
    >
      <div className="flex items-center">
        <p className="flex-1 font-medium" role="status">
          {`${count} selected`}
        </p>
        <Button aria-label="Clear selection" kind="quiet" onClick={onClear}>
          ✕
        </Button>
      </div>
      {mode === 'prompt' ? (
        <TextArea
          aria-label={`Prompt for ${count}`}
          autoFocus
          onChange={({ target }) => setPrompt(target.value)}
          onKeyDown={onKeyDown}
          placeholder="Prompt for all (Enter to send)"
          rows={2}
          value={prompt}
        />
      ) : null}
      {mode === 'remove' ? (
        <p className="text-sm">
          {`Permanently deletes the tasks, conversations and terminal output of ${count}. `}Worktrees are kept. Sessions
          with a running agent or terminal are not removed.
        </p>
      ) : null}
      <div className="flex flex-wrap gap-1">
        {mode === undefined ? (
          <>
            <Button onClick={() => setMode('prompt')}>Prompt…</Button>
            <Button busy={busy} onClick={() => void run('stopped', 'sessions.stop', (sessionId) => ({ sessionId }))}>
              Stop
            </Button>
            <Button
              busy={busy}
              onClick={() => void run('archived', 'sessions.archive', (sessionId) => ({ sessionId }))}
            >
              Archive
            </Button>
            <Button onClick={() => openDialog({ kind: 'labels', sessionIds })}>Labels…</Button>
            <Button onClick={() => setMode('remove')}>Remove…</Button>
          </>
        ) : (
          <>
            <Button onClick={() => setMode(undefined)}>Cancel</Button>
            {mode === 'prompt' ? (
              <Button busy={busy} disabled={prompt.trim() === ''} kind="primary" onClick={send}>
                {`Send to ${count}`}
              </Button>
            ) : (
              <Button
                busy={busy}
                kind="danger"
                onClick={() => void run('removed', 'sessions.remove', (sessionId) => ({ sessionId }))}
              >
                {`Remove ${count}`}
              </Button>
            )}
          </>
        )}
      </div>
    </section>
  );
}
