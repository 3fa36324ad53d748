import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../../engine/author.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { shownTask } from './get.ts';

export function sendNow(
  needs: Pick<OperationContext, 'storage' | 'views' | 'reconciler'>,
): Implementation<'tasks.sendNow'> {
  return async ({ taskId }, call) => {
    const sessionId = await needs.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.get(taskId);
      if (task === undefined || task.blocked === null) {
        throw new ConsoleError('CONFLICT', 'Nothing holds this task back.', { taskId, status: task?.status });
      }
      const input = await tx.inputs.first({ taskId, state: ['queued', 'pasted', 'uncertain'] });
      // What the agent never acknowledged is typed again, as a new input, because a person says so.
      if (input?.state === 'uncertain') await tx.inputs.update(input.id, { state: 'dropped' });
      await tx.tasks.update(taskId, { sendNow: true });
      return task.sessionId;
    });
    await needs.reconciler.settle(sessionId);
    return shownTask(needs, taskId);
  };
}
