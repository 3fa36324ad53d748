import type { Task } from '@agent-console/shared/models/task';
import { type KeyboardEvent, lazy, type ReactNode, Suspense } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { failureToast } from '../../ui/toasts.ts';
import { dropHeldState, useHeldState } from '../../ui/use-held-state.ts';
import { attached, ImageStrip } from '../sessions/prompt/attachments.ts';
import { saveDraft, useDraft } from '../sessions/prompt/drafts.ts';
import { useSendPrompt } from '../sessions/prompt/use-send-prompt.ts';

const PromptImages = lazy(async () => ({ default: (await import('../images/PromptImages.tsx')).PromptImages }));

interface Handlers {
  onSent(): void;
  onClose(): void;
}

/** Field for the next prompt of a session. It contains the same draft as the prompt field on the session's page. */
export function Reply({ sessionId, onSent, onClose }: Handlers & { sessionId: string }) {
  const { text } = useDraft(sessionId);
  const { busy, problem, send } = useSendPrompt(sessionId);
  const submit = async () => {
    if (!(await attached(sessionId)) || !(await send())) return;
    onClose();
    onSent();
  };
  return (
    <PromptForm
      busy={busy}
      error={problem ?? null}
      images={
        <Suspense>
          <ImageStrip onDone={() => {}} sessionId={sessionId} />
        </Suspense>
      }
      onClose={onClose}
      onSend={() => void submit()}
      onText={(next) => saveDraft(sessionId, { text: next })}
      text={text}
    />
  );
}

/** Field with the prompt of a failed task. A person can change the prompt and send it again with its images. */
export function Retry({ taskId, ...handlers }: Handlers & { sessionId: string; taskId: string }) {
  const { data: task, error } = useOperationQuery('tasks.get', { taskId });
  if (task !== undefined) return <RetryForm {...handlers} task={task} />;
  return error === null ? <Skeleton rows={1} /> : <Problem error={error} />;
}

function RetryForm({ sessionId, task, onSent, onClose }: Handlers & { sessionId: string; task: Task }) {
  const name = `retry ${task.id}`;
  const [text, setText] = useHeldState(name, task.prompt);
  const onLateSuccess = () => {
    dropHeldState(name);
    onSent();
  };
  const onSuccess = () => {
    onClose();
    onLateSuccess();
  };
  const handlers = { onSuccess, onLateSuccess, onLateError: failureToast('Could not send the prompt') };
  const retry = useOperationMutation('tasks.retry', handlers);
  const prompt = useOperationMutation('sessions.prompt', handlers);
  const { images = [] } = task;
  const send = () => {
    if (text === task.prompt) retry.mutate({ taskId: task.id });
    else {
      const ids = images.map(({ imageId }) => imageId);
      prompt.mutate({ sessionId, prompt: text, ...(ids.length > 0 && { images: ids }) });
    }
  };
  return (
    <PromptForm
      busy={retry.isPending || prompt.isPending}
      error={retry.error ?? prompt.error}
      images={
        images.length === 0 ? null : (
          <Suspense>
            <PromptImages images={images} sessionId={sessionId} />
          </Suspense>
        )
      }
      onClose={onClose}
      onSend={send}
      onText={(next) => setText(() => next)}
      text={text}
    />
  );
}

function PromptForm(props: {
  text: string;
  images: ReactNode;
  busy: boolean;
  error: { message: string } | null;
  onText(text: string): void;
  onSend(): void;
  onClose(): void;
}) {
  const { text, images, busy, error, onText, onSend, onClose } = props;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (text.trim() !== '' && !busy) onSend();
  };
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        aria-label="Prompt"
        autoFocus
        data-answer
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
        placeholder="Prompt (Enter to send, Shift+Enter for a new line)"
        rows={2}
        value={text}
      />
      {images}
      <Problem error={error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button busy={busy} disabled={text.trim() === ''} kind="primary" onClick={onSend}>
          Send
        </Button>
      </div>
    </div>
  );
}
