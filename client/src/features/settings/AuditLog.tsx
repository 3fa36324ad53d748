import type { AuditEntry } from '@agent-console/shared/models/audit';
import { useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { RadioGroup } from '../../ui/Field.tsx';
import { formatClock, formatDay } from '../../ui/format-clock.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { useUserLabel } from './use-user-label.ts';

const STEP = 100;
/** Maximum number of entries that are fetched and shown. */
const SHOWN_MAX = 500;
const FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'error', label: 'Refused and failed' },
] as const;

/** Recorded calls, newest first. */
export function AuditLog() {
  const [filter, setFilter] = useState<'all' | 'error'>('all');
  const [limit, setLimit] = useState(STEP);
  const { data, error, isPending, isFetching, refetch } = useOperationQuery('audit.list', {
    limit,
    ...(filter === 'all' ? {} : { outcome: 'error' }),
  });
  const rows = data?.data ?? [];
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <RadioGroup label="Filter" onChange={setFilter} options={FILTERS} value={filter} />
        <span className="flex-1" />
        <span className="text-sm text-quiet tabular-nums">{data === undefined ? '' : `${data.total} recorded`}</span>
        <Button busy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
      </div>
      <Problem error={error} />
      {isPending ? <Skeleton /> : null}
      {data !== undefined && rows.length === 0 ? <p className="text-quiet">No calls recorded</p> : null}
      <div className="overflow-x-auto">
        <table className="w-full border-collapse text-left">
          <thead className="text-sm text-quiet">
            <tr>
              {['Time', 'Who', 'Operation', 'Result'].map((name) => (
                <th className="border-b border-line py-1 pr-4 font-normal" key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((entry) => (
              <Row entry={entry} key={entry.id} />
            ))}
          </tbody>
        </table>
      </div>
      {data !== undefined && data.total > rows.length ? (
        limit < SHOWN_MAX ? (
          <Button className="self-start" busy={isFetching} onClick={() => setLimit(Math.min(limit + STEP, SHOWN_MAX))}>
            Show earlier calls
          </Button>
        ) : (
          <p className="text-quiet">{`Earlier calls: npx agent-console audit list --skip ${SHOWN_MAX}`}</p>
        )
      ) : null}
    </>
  );
}

function Row({ entry }: { entry: AuditEntry }) {
  const { at, operation, outcome, surface, milliseconds } = entry;
  const isRefused = outcome !== 'ok';
  return (
    <tr className="border-b border-line align-baseline">
      <td className="py-1 pr-4 text-sm md:whitespace-nowrap text-quiet tabular-nums">
        <time dateTime={at} title={new Date(at).toLocaleString()}>
          {formatDay(at)} {formatClock(at)}
        </time>
      </td>
      <td className="max-w-50 truncate py-1 pr-4 max-md:max-w-24">
        <Who entry={entry} />
      </td>
      <td className="py-1 pr-4 max-md:wrap-anywhere">
        <span className="font-mono text-sm">{operation}</span> <span className="text-sm text-quiet">by {surface}</span>
      </td>
      <td
        className={`py-1 md:whitespace-nowrap ${isRefused ? 'text-failed' : 'text-quiet'}`}
        title={`${milliseconds} ms`}
      >
        {isRefused ? `⊘ ${outcome.toLowerCase().replaceAll('_', ' ')}` : 'done'}
      </td>
    </tr>
  );
}

function Who({ entry: { sessionId, userId } }: { entry: AuditEntry }) {
  const label = useUserLabel(userId);
  if (sessionId !== null) return <SessionLink sessionId={sessionId} />;
  return userId === null ? <span className="text-quiet">unknown</span> : label;
}
