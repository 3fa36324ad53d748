import { FIRST_PAGE_ROUTES } from 'virtual:operation-routes/first-page';
import type { OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import { callRoute } from './call-route.ts';
import type { FirstPageOperation } from './first-page-operations.ts';
import type { CallOptions } from './http.ts';

// An ambient module cannot import this type itself.
const ROUTES = FIRST_PAGE_ROUTES as Readonly<Record<FirstPageOperation, string>>;

/** Like `call`, for code of the first page, which does not load the routes of all operations. */
export async function callOnFirstPage<N extends FirstPageOperation>(
  name: N,
  input: RequestOf<N>,
  options: CallOptions = {},
): Promise<OutputOf<N>> {
  return (await callRoute(ROUTES[name], input, options)) as OutputOf<N>;
}
