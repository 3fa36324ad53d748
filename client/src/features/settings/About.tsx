import type { OutputOf } from '@agent-console/shared/operations/table';
import { useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { formatTimeAgo } from '../../ui/format-time-ago.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { formatResources } from '../sessions/inspector/resources.ts';

/** Poll interval of the console's status in milliseconds. */
const POLL_MS = 10_000;

export function About() {
  const { data, error, isPending, refetch } = useOperationQuery('system.status', {}, { refetchInterval: POLL_MS });
  if (isPending) return <Skeleton rows={3} />;
  const counts = data?.counts;
  const rows: readonly (readonly [string, string])[] =
    data === undefined || counts === undefined
      ? []
      : [
          ['Version', data.version],
          ['Server', `pid ${data.pid}, started ${formatTimeAgo(data.startedAt)}`],
          ['Runner', describeRunner(data.runner)],
          ['Repositories', counts.repositories.toLocaleString()],
          ['Sessions', `${counts.sessions.toLocaleString()}, ${counts.liveSessions.toLocaleString()} live`],
          ...(data.resources === null ? [] : [['Resources', formatResources(data.resources)] as const]),
          ['Tasks running', counts.runningTasks.toLocaleString()],
          ['Pending notices', counts.pendingNotices.toLocaleString()],
          ['Sequence number of the last event', data.lastEventSeq.toLocaleString()],
        ];
  return (
    <div className="flex flex-col gap-3 pb-6">
      <Problem error={error}>
        <Button onClick={() => void refetch()}>Try again</Button>
      </Problem>
      <dl className="grid w-fit grid-cols-[auto_auto] gap-x-8 gap-y-1">
        {rows.map(([name, value]) => (
          <div className="contents" key={name}>
            <dt className="text-quiet">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a className="text-accent underline" href="/api/docs">
          API documentation
        </a>
      </p>
    </div>
  );
}

function describeRunner({ state, pid }: OutputOf<'system.status'>['runner']): string {
  if (state === 'gone') return 'stopped';
  return state === 'unresponsive' ? `pid ${pid}, does not respond` : `pid ${pid}`;
}
