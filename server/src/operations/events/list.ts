import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { pageOf } from '../paging.ts';
import { toPublicEvent } from './present.ts';

export function listEvents({ storage }: Pick<Kit, 'storage'>): Implementation<'events.list'> {
  return ({ after, ...page }) => pageOf(storage.read.events, { seq: { above: after } }, page, toPublicEvent, ['seq']);
}
