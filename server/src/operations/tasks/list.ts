import type { Implementation } from '../call.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';
import { pageOf } from '../paging.ts';
import { cutTask } from '../present.ts';

export function listTasks({ storage, views }: Pick<Kit, 'storage' | 'views'>): Implementation<'tasks.list'> {
  return ({ limit, skip, ...filter }) =>
    pageOf(storage.read.tasks, given(filter), { limit, skip }, async (row) => cutTask(await views.task(row)), ['-id']);
}
