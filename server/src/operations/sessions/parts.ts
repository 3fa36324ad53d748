import { presentMessage, presentNotice, presentWorker } from '../../engine/present.ts';
import { toPublicEvent } from '../../engine/public-event.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { pageOf, slicePage } from '../paging.ts';

/** The lists that belong to one session. */

type Needs = Pick<OperationContext, 'storage'>;

export function listMessages({ storage }: Needs): Implementation<'sessions.messages'> {
  return ({ sessionId, ...page }) => pageOf(storage.read.messages, { sessionId }, page, presentMessage, ['seq']);
}

export function listSessionEvents({ storage }: Needs): Implementation<'sessions.events'> {
  return ({ sessionId, after, ...page }) =>
    pageOf(storage.read.events, { sessionId, seq: { above: after } }, page, toPublicEvent, ['seq']);
}

export function listNotices({ storage }: Needs): Implementation<'sessions.notices'> {
  return ({ sessionId, ...page }) => pageOf(storage.read.notices, { sessionId }, page, presentNotice);
}

export function listWorkers({ storage }: Needs): Implementation<'sessions.workers'> {
  return ({ sessionId, ...page }) => pageOf(storage.read.workers, { sessionId }, page, presentWorker);
}

export function listSessionTasks({ views }: Pick<OperationContext, 'views'>): Implementation<'sessions.tasks'> {
  return async ({ sessionId, ...page }) => slicePage(await views.tasksOf(sessionId), page);
}
