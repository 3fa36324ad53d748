import { notFound } from '@agent-console/shared/errors';
import type { Task } from '@agent-console/shared/models/task';
import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';

/** A task as it is now. */
export async function shownTask({ storage, views }: Pick<Kit, 'storage' | 'views'>, taskId: string): Promise<Task> {
  const row = await storage.read.tasks.get(taskId);
  if (row === undefined) throw notFound('Task', taskId);
  return views.task(row);
}

export function getTask(needs: Pick<Kit, 'storage' | 'views'>): Implementation<'tasks.get'> {
  return ({ taskId }) => shownTask(needs, taskId);
}
