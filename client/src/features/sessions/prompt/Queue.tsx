import type { ConsoleError } from '@agent-console/shared/errors';
import type { Task } from '@agent-console/shared/models/task';
import type { OutputOf } from '@agent-console/shared/operations/table';
import { operationKey, useOperationMutation, useOperationQuery } from '../../../api/operations.ts';
import { queryClient } from '../../../api/query-client.ts';
import { firstLine } from '../../../ui/first-line.ts';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { toast } from '../../../ui/toasts.ts';
import { UntrustedText } from '../../../ui/UntrustedText.tsx';
import { agentOf, isLive } from '../badge.ts';
import { useSession } from '../sessions-store.ts';
import { canCancel } from './can-cancel.ts';

/** CSS classes of the queue. They limit its height, so that a long queue scrolls and does not cover the terminal. */
const BOX = 'mb-1 max-h-44 overflow-y-auto text-sm';
const ICON =
  'h-6 w-6 shrink-0 rounded text-quiet hover:bg-hover hover:text-text disabled:invisible max-md:h-10 max-md:w-10';

/**
 * Returns the queued prompts in order. `held` is the prompt that the console cannot type now, for example because a
 * person types in the terminal.
 */
export function queueOf(tasks: readonly Task[]): { queued: readonly Task[]; held: Task | undefined } {
  const queued = tasks
    .filter(({ status }) => status === 'queued')
    .sort((a, b) => (a.queuePosition ?? 0) - (b.queuePosition ?? 0));
  const isOpen = ({ status }: Task) => status === 'running' || status === 'queued';
  return { queued, held: tasks.find((task) => isOpen(task) && task.blocked !== null) };
}

export function Queue({ sessionId, tasks }: { sessionId: string; tasks: readonly Task[] }) {
  const { queued, held } = queueOf(tasks);
  const onFailure = (title: string) => ({
    onError: ({ message }: ConsoleError) => {
      toast({ id: `queue-${sessionId}`, kind: 'failed', title, text: message });
      void queryClient.invalidateQueries({ queryKey: operationKey('sessions.get', { sessionId }) });
    },
  });
  const cancel = useOperationMutation('tasks.cancel');
  const move = useOperationMutation('tasks.move');
  const sendNow = useOperationMutation('tasks.sendNow');
  const { data } = useOperationQuery('sessions.get', { sessionId });
  const session = useSession(sessionId);
  const agent = session && agentOf(session);
  const hasAgent = agent !== undefined && isLive(agent);
  if (queued.length === 0 && held === undefined) return null;

  const show = (order: readonly Task[]) => reorder(sessionId, order);
  const drop = (task: Task) => {
    show(queued.filter((each) => each !== task));
    cancel.mutate({ taskId: task.id }, onFailure('Could not cancel the prompt'));
  };
  const put = (task: Task, index: number) => {
    const others = queued.filter((each) => each !== task);
    const after = others[index - 1]?.id ?? null;
    show(others.toSpliced(index, 0, task));
    move.mutate({ taskId: task.id, after, expectedVersion: task.version }, onFailure('Could not move the prompt'));
  };
  const push = (task: Task) => sendNow.mutate({ taskId: task.id }, onFailure('Could not send the prompt'));
  return (
    <section aria-label="Queued prompts" className={BOX}>
      {held === undefined || held.status === 'queued' ? null : (
        <div className="flex min-h-7 items-center gap-2 text-needs">
          <span>▲</span>
          <span className="min-w-0 flex-1 truncate" title={escapeHidden(held.prompt)}>
            Blocked: {held.blocked} · <UntrustedText className="text-quiet" text={firstLine(held.prompt)} />
          </span>
          {hasAgent ? <SendNow busy={sendNow.isPending} onClick={() => push(held)} /> : null}
        </div>
      )}
      <ol>
        {queued.map((task, index) => (
          <li className="flex min-h-7 items-center gap-2" key={task.id}>
            <span className="w-4 shrink-0 text-right tabular-nums text-quiet">{index + 1}</span>
            <span className="min-w-0 flex-1 truncate" title={escapeHidden(task.prompt)}>
              {task.kind === 'notice' ? 'Pending notices' : <UntrustedText text={firstLine(task.prompt)} />}
              {task.blocked === null ? null : <span className="text-needs"> · ▲ {task.blocked}</span>}
            </span>
            {task.blocked === null || !hasAgent ? null : (
              <SendNow busy={sendNow.isPending} onClick={() => push(task)} />
            )}
            <button
              aria-label="Move up"
              className={ICON}
              disabled={index === 0}
              onClick={() => put(task, index - 1)}
              type="button"
            >
              ↑
            </button>
            <button
              aria-label="Move down"
              className={ICON}
              disabled={index === queued.length - 1}
              onClick={() => put(task, index + 1)}
              type="button"
            >
              ↓
            </button>
            <button
              aria-label="Cancel"
              className={ICON}
              disabled={!canCancel(task, data)}
              onClick={() => drop(task)}
              type="button"
            >
              ×
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function SendNow({ busy, onClick }: { busy: boolean; onClick: () => void }) {
  return (
    <button
      className="h-6 shrink-0 rounded border border-needs px-2 font-medium text-needs hover:bg-needs-bg disabled:opacity-50 max-md:h-10"
      disabled={busy}
      onClick={onClick}
      type="button"
    >
      Send now
    </button>
  );
}

/**
 * Shows a new order of the queue before the console confirms it. Queued prompts that are not in `order` are no longer
 * shown.
 */
function reorder(sessionId: string, order: readonly Task[]): void {
  const positions = new Map(order.map(({ id }, index) => [id, index + 1]));
  queryClient.setQueryData<OutputOf<'sessions.get'>>(
    operationKey('sessions.get', { sessionId }),
    (session) =>
      session && {
        ...session,
        tasks: session.tasks
          .filter(({ id, status }) => status !== 'queued' || positions.has(id))
          .map((task) => ({ ...task, queuePosition: positions.get(task.id) ?? task.queuePosition })),
      },
  );
}
