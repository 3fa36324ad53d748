import { toPublicEvent } from '../../engine/public-event.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { pageOf } from '../paging.ts';

export function listEvents({ storage }: Pick<OperationContext, 'storage'>): Implementation<'events.list'> {
  return ({ after, ...page }) => pageOf(storage.read.events, { seq: { above: after } }, page, toPublicEvent, ['seq']);
}
