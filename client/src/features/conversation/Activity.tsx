import type { Session } from '@agent-console/shared/models/session';
import { useOperationMutation } from '../../api/operations.ts';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { failureToast } from '../../ui/toasts.ts';
import type { SessionBadge } from '../sessions/badge.ts';
import { outcomeOf } from './outcome.ts';

/** Shows the state of the task in progress below the conversation, with a button that cancels a running task. */
export function Activity({ session, badge }: { session: Session; badge: SessionBadge }) {
  const cancel = useOperationMutation('tasks.cancel');
  const { task } = session;
  if (task === null || task.endedAt !== null || task.status === 'queued') return null;
  const { glyph, word, tone } = outcomeOf({ ...task, certain: null });
  const works = task.status === 'running';
  return (
    <div className={`flex min-h-8 items-center gap-2 px-2 ${tone === 'needs' ? 'text-needs' : 'text-quiet'}`}>
      <span aria-hidden className={`w-4 text-center ${works ? 'animate-pulse-slow' : ''}`}>
        {glyph}
      </span>
      <span>
        {word} <Age className="text-sm tabular-nums" since={works ? (task.startedAt ?? badge.since) : badge.since} />
      </span>
      {works ? (
        <Button
          busy={cancel.isPending}
          className="text-sm"
          onClick={() =>
            cancel.mutate({ taskId: task.id }, { onError: failureToast("Could not stop the agent's work") })
          }
          title="Stop the agent's work on this prompt"
        >
          Stop
        </Button>
      ) : null}
    </div>
  );
}

const ANNOUNCED: Partial<Record<SessionBadge['kind'], string>> = {
  working: 'The agent is working.',
  needs: 'The agent has a question.',
  done: 'The agent has finished.',
  failed: 'The agent has failed.',
  paused: 'The session is paused.',
  stopped: 'The agent has stopped.',
};

/** Announces changes of the agent's state to screen readers, but not the agent's messages. */
export function ActivityAnnouncer({ badge }: { badge: SessionBadge }) {
  return (
    <p className="sr-only" role="status">
      {ANNOUNCED[badge.kind] ?? ''}
    </p>
  );
}
