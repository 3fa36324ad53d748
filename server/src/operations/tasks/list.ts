import { cutTask } from '../../engine/present.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';
import { pageOf } from '../paging.ts';

export function listTasks({
  storage,
  views,
}: Pick<OperationContext, 'storage' | 'views'>): Implementation<'tasks.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.tasks, omitUndefined(filter), { limit, skip }, async (row) => cutTask(await views.task(row)), [
      '-id',
    ]);
}
