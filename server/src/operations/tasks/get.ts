import { notFound } from '@agent-console/shared/errors';
import type { Task } from '@agent-console/shared/models/task';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

/** A task as it is now. */
export async function shownTask(
  { storage, views }: Pick<OperationContext, 'storage' | 'views'>,
  taskId: string,
): Promise<Task> {
  const row = await storage.read.tasks.get(taskId);
  if (row === undefined) throw notFound('Task', taskId);
  return views.task(row);
}

export function getTask(needs: Pick<OperationContext, 'storage' | 'views'>): Implementation<'tasks.get'> {
  return ({ taskId }) => shownTask(needs, taskId);
}
