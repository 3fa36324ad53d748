import { type KeyboardEvent, useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';

/** Prompt field for a session. With `again`, it initially contains the prompt of the task `taskId`. */
export function Reply(props: {
  sessionId: string;
  taskId: string | undefined;
  again: boolean;
  onSent(): void;
  onClose(): void;
}) {
  const { sessionId, taskId, again, onSent, onClose } = props;
  const prefills = again && taskId !== undefined;
  const failed = useOperationQuery('tasks.get', { taskId: taskId ?? '' }, { enabled: prefills });
  const [text, setText] = useState<string>();
  const prompt = useOperationMutation('sessions.prompt', {
    onSuccess: () => {
      onClose();
      onSent();
    },
  });
  if (prefills && failed.isPending) return <Skeleton rows={1} />;
  const value = text ?? (prefills ? (failed.data?.prompt ?? '') : '');
  const send = () => prompt.mutate({ sessionId, prompt: value });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (value.trim() !== '' && !prompt.isPending) send();
  };
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        aria-label="Prompt"
        autoFocus
        data-answer
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        placeholder="Next prompt (Enter to send, Shift+Enter for a new line)"
        rows={2}
        value={value}
      />
      <Problem error={prompt.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button busy={prompt.isPending} disabled={value.trim() === ''} kind="primary" onClick={send}>
          Send
        </Button>
      </div>
    </div>
  );
}
