import { ConsoleError, fieldError, notFound } from '@agent-console/shared/errors';
import { isRetryable, type Task } from '@agent-console/shared/models/task';
import { LIVE_INPUT } from '../domain/inputs.ts';
import { LIVE_STATES } from '../domain/states.ts';
import { isOpen } from '../domain/tasks.ts';
import { authorOf, outcomeSourceOf, sourceOf } from '../engine/changes/author.ts';
import { finishTask } from '../engine/changes/task-changes.ts';
import { cutTask } from '../engine/present.ts';
import { sessionRow } from '../engine/rows.ts';
import type { InputRow } from '../ports/rows.ts';
import { refusePromptBeyondLimits } from './limits.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';
import { queueAndOpen } from './sessions/prompts.ts';

function listTasks({ storage, views }: OperationContext): Implementation<'tasks.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.tasks, omitUndefined(filter), { limit, skip }, async (row) => cutTask(await views.task(row)), [
      '-id',
    ]);
}

async function currentTask({ storage, views }: OperationContext, taskId: string): Promise<Task> {
  const row = await storage.read.tasks.get(taskId);
  if (row === undefined) throw notFound('Task', taskId);
  return views.task(row);
}

function getTask(context: OperationContext): Implementation<'tasks.get'> {
  return ({ taskId }) => currentTask(context, taskId);
}

/**
 * The state that an input gets when its task is cancelled, by the input's current state. The new state tells the
 * console to drop the input, to clear the typed text or to interrupt the agent.
 */
const WITHDRAWN: Partial<Record<InputRow['state'], InputRow['state']>> = {
  queued: 'dropped',
  pasting: 'clearing',
  pasted: 'clearing',
  submitting: 'interrupting',
  submitted: 'interrupting',
  accepted: 'interrupting',
  uncertain: 'dropped',
};

function wrongStatus(taskId: string, status: string | undefined, rule: string): ConsoleError {
  return new ConsoleError('CONFLICT', `Task ${taskId} is ${status ?? 'gone'}; ${rule}.`, { taskId, status });
}

function cancelTask(context: OperationContext): Implementation<'tasks.cancel'> {
  return async ({ taskId }, call) => {
    const sessionId = await context.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.get(taskId);
      if (task === undefined || !isOpen(task.status)) {
        throw wrongStatus(taskId, task?.status, 'only an open task can be cancelled');
      }
      const input = await tx.inputs.first({ taskId, state: [...LIVE_INPUT] });
      const state = input && WITHDRAWN[input.state];
      if (input !== undefined && state !== undefined) await tx.inputs.update(input.id, { state });
      await finishTask(tx, context, taskId, { status: 'cancelled', source: outcomeSourceOf(call), certain: true });
      return task.sessionId;
    });
    context.reconciler.schedule(sessionId);
    return currentTask(context, taskId);
  };
}

function moveTask(context: OperationContext): Implementation<'tasks.move'> {
  return async ({ taskId, after, expectedVersion }, call) => {
    await context.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.get(taskId);
      if (task?.status !== 'queued') {
        throw wrongStatus(taskId, task?.status, 'only a queued task can be moved');
      }
      if (task.version !== expectedVersion) {
        throw new ConsoleError('CONFLICT', 'The task has changed since you read it. Read it again and retry.', {
          taskId,
          version: task.version,
        });
      }
      const { sessionId } = task;
      const queued = await tx.tasks.find({ sessionId, status: 'queued' }, { order: ['position'] });
      const others = queued.filter((each) => each.id !== taskId);
      const index = after === null ? -1 : others.findIndex((each) => each.id === after);
      if (after !== null && index < 0) {
        throw fieldError(
          'after',
          `task ${after} is not in the queue of the moved task's session; choose a task from that queue`,
          { taskId: after },
        );
      }
      const before = others[index]?.position ?? (others[0]?.position ?? 0) - 2;
      const next = others[index + 1]?.position ?? before + 2;
      const position = (before + next) / 2;
      await tx.tasks.update(taskId, { position, version: task.version + 1 });
      // After some 50 moves to the same place, no number is left between the neighbours' positions. The queue is then
      // renumbered.
      if (position <= before || position >= next) {
        const queue = others.toSpliced(index + 1, 0, task);
        for (const [at, { id }] of queue.entries()) await tx.tasks.update(id, { position: at + 1 });
      }
      await tx.record({ type: 'task.moved', subject: { kind: 'task', id: taskId }, sessionId, data: { after } });
    });
    return currentTask(context, taskId);
  };
}

function sendNow(context: OperationContext): Implementation<'tasks.sendNow'> {
  return async ({ taskId }, call) => {
    const sessionId = await context.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.get(taskId);
      if (task === undefined || task.blocked === null) {
        throw new ConsoleError(
          'CONFLICT',
          'This task is not blocked (its field "blocked" is null), so the console sends its prompt without this call.',
          {
            taskId,
            status: task?.status,
          },
        );
      }
      // A prompt that is marked to be sent now would be typed before the agent that is yet to start can accept it.
      const agent = await tx.workers.first({ sessionId: task.sessionId, type: 'agent', state: LIVE_STATES });
      if (agent === undefined) {
        const why = `The session has no agent that this prompt could be sent to: ${task.blocked}.`;
        throw new ConsoleError('CONFLICT', why, { taskId, status: task.status });
      }
      const input = await tx.inputs.first({ taskId, state: ['queued', 'pasted', 'uncertain'] });
      // If the input is `uncertain`, the agent has not acknowledged the typed prompt. So the console drops this input
      // and types the prompt again as a new input.
      if (input?.state === 'uncertain') await tx.inputs.update(input.id, { state: 'dropped' });
      await tx.tasks.update(taskId, { sendNow: true });
      return task.sessionId;
    });
    await context.reconciler.settle(sessionId);
    return currentTask(context, taskId);
  };
}

function retryTask(context: OperationContext): Implementation<'tasks.retry'> {
  return async ({ taskId }, call) => {
    const task = await currentTask(context, taskId);
    if (!isRetryable(task)) {
      throw wrongStatus(taskId, task.status, 'only a failed, interrupted or cancelled prompt can be sent again');
    }
    const retried = await context.storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, task.sessionId);
      await refusePromptBeyondLimits(tx, context, call.caller, session);
      const row = await tx.tasks.get(taskId);
      const { taskId: id } = await queueAndOpen(tx, context, session, {
        prompt: row?.prompt ?? task.prompt,
        images: row?.images ?? [],
        notifyOnCompletion: row?.notifyOnCompletion ?? true,
        ...sourceOf(call),
      });
      await tx.remember({ taskId: id });
      return id;
    });
    return currentTask(context, retried);
  };
}

/** Answers a repeated call of `tasks.retry` with the task that the first call created. */
export function replayRetry(context: OperationContext) {
  return ({ taskId }: Record<string, unknown>) => currentTask(context, String(taskId));
}

export function taskOperations(context: OperationContext) {
  return {
    'tasks.list': listTasks(context),
    'tasks.get': getTask(context),
    'tasks.cancel': cancelTask(context),
    'tasks.move': moveTask(context),
    'tasks.sendNow': sendNow(context),
    'tasks.retry': retryTask(context),
  } satisfies Partial<Implementations>;
}
