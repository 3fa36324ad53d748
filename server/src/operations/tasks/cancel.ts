import { ConsoleError } from '@agent-console/shared/errors';
import { isOpen } from '../../domain/tasks.ts';
import { authorOf, outcomeSourceOf } from '../../engine/author.ts';
import { LIVE_INPUT } from '../../engine/inputs.ts';
import { finishTask } from '../../engine/task-changes.ts';
import type { InputState } from '../../ports/rows/workers.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { shownTask } from './get.ts';

type Needs = Pick<OperationContext, 'storage' | 'views' | 'reconciler' | 'now' | 'newId'>;

/** What becomes of the text of a cancelled task, by how far it had come; the reconciler does it. */
const WITHDRAWN: Partial<Record<InputState, InputState>> = {
  queued: 'dropped',
  pasting: 'clearing',
  pasted: 'clearing',
  submitting: 'interrupting',
  submitted: 'interrupting',
  accepted: 'interrupting',
  uncertain: 'dropped',
};

export function cancelTask(needs: Needs): Implementation<'tasks.cancel'> {
  return async ({ taskId }, call) => {
    const sessionId = await needs.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.get(taskId);
      if (task === undefined || !isOpen(task.status)) {
        throw new ConsoleError(
          'CONFLICT',
          `Task ${taskId} is ${task?.status ?? 'gone'}; only an open task can be cancelled.`,
          { taskId, status: task?.status },
        );
      }
      const input = await tx.inputs.first({ taskId, state: [...LIVE_INPUT] });
      const state = input && WITHDRAWN[input.state];
      if (input !== undefined && state !== undefined) await tx.inputs.update(input.id, { state });
      await finishTask(tx, needs, taskId, { status: 'cancelled', source: outcomeSourceOf(call), certain: true });
      return task.sessionId;
    });
    needs.reconciler.nudge(sessionId);
    return shownTask(needs, taskId);
  };
}
