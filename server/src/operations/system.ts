import { withDeadline } from '@agent-console/shared/deadline';
import { notFound } from '@agent-console/shared/errors';
import type { OutputOf } from '@agent-console/shared/operations/table';
import { toPublicEvent } from '../engine/access/public-event.ts';
import { presentJob } from '../engine/present.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';
import { measureSum } from './resources.ts';

function systemStatus(context: OperationContext): Implementation<'system.status'> {
  const { storage, views, hub, runner, now, startedAt, version } = context;
  const { read } = storage;
  return async () => ({
    version,
    pid: process.pid,
    startedAt: startedAt.toISOString(),
    uptimeSeconds: Math.round((now().getTime() - startedAt.getTime()) / 1_000),
    runner: await runnerState(runner),
    counts: {
      repositories: await read.repositories.count({ removedAt: null }),
      sessions: await read.sessions.count({ removedAt: null, archivedAt: null }),
      liveSessions: (await views.liveSessionIds()).length,
      runningTasks: await read.tasks.count({ status: ['running', 'awaiting_input'] }),
      pendingNotices: await read.notices.count({ state: ['pending', 'delivering'] }),
    },
    resources: await measureSum(context),
    lastEventSeq: hub.lastSeq(),
  });
}

/** Returns the state of the runner, determined by a request to the runner. */
export async function runnerState(runner: OperationContext['runner']): Promise<OutputOf<'system.status'>['runner']> {
  if (runner.gone) return { state: 'gone', pid: null };
  const isResponsive = await runner.isResponsive();
  if (runner.gone) return { state: 'gone', pid: null };
  return { state: isResponsive ? 'running' : 'unresponsive', pid: runner.identity.pid };
}

/** Resolves when the job has ended, or when the signal aborts. */
async function untilEnded({ storage, hub }: OperationContext, jobId: string, signal: AbortSignal): Promise<void> {
  let stop = () => {};
  await new Promise<void>((resolve, reject) => {
    stop = hub.onEvents((events) => {
      const isEnd = ({ event }: (typeof events)[number]) => event.subject.id === jobId && event.type !== 'job.started';
      if (events.some(isEnd)) resolve();
    });
    signal.addEventListener('abort', () => resolve(), { once: true });
    // The listener is added before the job is read. Otherwise, the function would miss a job that ends between these
    // two steps.
    storage.read.jobs.get(jobId).then((row) => {
      if (row?.state !== 'running' || signal.aborted) resolve();
    }, reject);
  }).finally(() => stop());
}

function getJob(context: OperationContext): Implementation<'jobs.get'> {
  const { storage, jobs } = context;
  return async ({ jobId, waitSeconds }, call) => {
    const read = async () => {
      const row = await storage.read.jobs.get(jobId);
      if (row === undefined) throw notFound('Job', jobId);
      return row;
    };
    let row = await read();
    if (row.state === 'running' && waitSeconds > 0) {
      const { signal, release } = withDeadline(call.signal, waitSeconds * 1_000);
      await untilEnded(context, jobId, signal).finally(release);
      row = await read();
    }
    const progress = row.state === 'running' ? jobs.progress(jobId) : undefined;
    return presentJob({ ...row, ...progress });
  };
}

function listEvents({ storage }: OperationContext): Implementation<'events.list'> {
  return ({ after, before, order, ...page }) => {
    const seq = { above: after, ...(before === undefined ? {} : { below: before }) };
    return pageOf(storage.read.events, { seq }, page, toPublicEvent, order === 'newest' ? ['-seq'] : ['seq']);
  };
}

export function systemOperations(context: OperationContext) {
  return {
    'jobs.get': getJob(context),
    'events.list': listEvents(context),
    'system.status': systemStatus(context),
  } satisfies Partial<Implementations>;
}
