import type { Page } from '@agent-console/shared/page';
import type { FindOptions, StoreReader, Where } from '../ports/storage.ts';

/** Returns one page of rows, converted by `present`. */
export async function pageOf<Row, T>(
  store: StoreReader<Row>,
  where: Where<Row>,
  input: { limit: number; skip: number },
  present: (row: Row) => T | Promise<T>,
  order?: FindOptions<Row>['order'],
): Promise<Page<T>> {
  const { limit, skip } = input;
  const rows = await store.find(where, { limit, skip, ...(order === undefined ? {} : { order }) });
  return { total: await store.count(where), limit, skip, data: await Promise.all(rows.map(present)) };
}

export function slicePage<T>(all: readonly T[], { limit, skip }: { limit: number; skip: number }): Page<T> {
  return { total: all.length, limit, skip, data: all.slice(skip, skip + limit) };
}
