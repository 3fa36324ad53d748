import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../../engine/author.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { shownTask } from './get.ts';

export function moveTask(needs: Pick<OperationContext, 'storage' | 'views'>): Implementation<'tasks.move'> {
  return async ({ taskId, after, expectedVersion }, call) => {
    await needs.storage.write(authorOf(call), async (tx) => {
      const task = await tx.tasks.get(taskId);
      if (task?.status !== 'queued') {
        throw new ConsoleError(
          'CONFLICT',
          `Task ${taskId} is ${task?.status ?? 'gone'}; only a queued task can be moved.`,
          { taskId, status: task?.status },
        );
      }
      if (task.version !== expectedVersion) {
        throw new ConsoleError('CONFLICT', 'The task has changed since you looked. Look again and repeat.', {
          taskId,
          version: task.version,
        });
      }
      const others = (
        await tx.tasks.find({ sessionId: task.sessionId, status: 'queued' }, { order: ['position'] })
      ).filter((each) => each.id !== taskId);
      const index = after === null ? -1 : others.findIndex((each) => each.id === after);
      if (after !== null && index < 0) {
        throw new ConsoleError('VALIDATION', `after: task ${after} does not wait in the same session`, {
          taskId: after,
        });
      }
      const before = others[index]?.position ?? (others[0]?.position ?? 0) - 2;
      const behind = others[index + 1]?.position ?? before + 2;
      await tx.tasks.update(taskId, { position: (before + behind) / 2, version: task.version + 1 });
      await tx.record({
        type: 'task.moved',
        subject: { kind: 'task', id: taskId },
        sessionId: task.sessionId,
        data: { after },
      });
    });
    return shownTask(needs, taskId);
  };
}
