import type { OutputOf } from '@agent-console/shared/operations/table';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { measureSum } from '../workers/resources.ts';

type Needs = Pick<
  OperationContext,
  'storage' | 'views' | 'hub' | 'runner' | 'resources' | 'now' | 'startedAt' | 'version'
>;

export function systemStatus(needs: Needs): Implementation<'system.status'> {
  const { storage, views, hub, runner, now, startedAt, version } = needs;
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
    resources: await measureSum(needs),
    lastEventSeq: hub.lastSeq(),
  });
}

/** Whether the runner is there and answers. */
export async function runnerState(runner: OperationContext['runner']): Promise<OutputOf<'system.status'>['runner']> {
  if (runner.gone) return { state: 'gone', pid: null };
  const isResponsive = await runner.isResponsive();
  if (runner.gone) return { state: 'gone', pid: null };
  return { state: isResponsive ? 'running' : 'unresponsive', pid: runner.identity.pid };
}
