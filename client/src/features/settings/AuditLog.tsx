import type { AuditEntry } from '@agent-console/shared/models/audit';
import { pluralize } from '@agent-console/shared/pluralize';
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
/** Maximum number of calls that the page fetches and shows. */
const SHOWN_MAX = 500;
const FILTERS = [
  { value: 'all', label: 'All' },
  { value: 'error', label: 'Refused and failed calls' },
] as const;

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
        <div className="flex flex-1 basis-50 items-center justify-between gap-2 md:justify-end">
          <span className="text-sm text-quiet tabular-nums">
            {data === undefined ? '' : pluralize(data.total, 'call')}
          </span>
          <Button busy={isFetching} onClick={() => void refetch()}>
            Refresh
          </Button>
        </div>
      </div>
      <Problem error={error} />
      {isPending ? <Skeleton /> : null}
      {data !== undefined && rows.length === 0 ? <p className="text-quiet">No calls found</p> : null}
      <div className="overflow-x-auto">
        {/* On a phone, each call has two lines: the operation and its result, then the caller and the time. */}
        <table className="w-full border-collapse text-left max-md:block">
          <thead className="text-sm text-quiet max-md:sr-only">
            <tr>
              {['Time', 'Who', 'Operation', 'Result'].map((name) => (
                <th className="border-b border-line py-1 pr-4 font-normal" key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="max-md:block">
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
          <p className="text-quiet">{`For earlier calls, run npx agent-console audit list --skip ${SHOWN_MAX}`}</p>
        )
      ) : null}
    </>
  );
}

function Row({ entry }: { entry: AuditEntry }) {
  const { at, operation, outcome, surface, milliseconds } = entry;
  const isRefused = outcome !== 'ok';
  return (
    <tr className="border-b border-line align-baseline max-md:grid max-md:grid-cols-[minmax(0,1fr)_auto] max-md:gap-x-3 max-md:py-1.5 max-md:*:p-0">
      <td className="whitespace-nowrap py-1 pr-4 text-sm text-quiet tabular-nums max-md:order-4 max-md:text-right">
        <time dateTime={at} title={new Date(at).toLocaleString()}>
          {formatDay(at)} {formatClock(at)}
        </time>
      </td>
      <td className="truncate py-1 pr-4 max-md:order-3 md:max-w-50 max-md:[&>a]:inline-block max-md:[&>a]:max-w-full max-md:[&>a]:py-2.5 max-md:[&>a]:-my-2.5">
        <Who entry={entry} />
      </td>
      <td className="py-1 pr-4 max-md:order-1 max-md:wrap-anywhere">
        <span className="font-mono text-sm">{operation}</span> <span className="text-sm text-quiet">via {surface}</span>
      </td>
      <td
        className={`whitespace-nowrap py-1 max-md:order-2 max-md:text-right ${isRefused ? 'text-failed' : 'text-quiet'}`}
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
  return userId === null ? <span className="text-quiet">unknown caller</span> : label;
}
