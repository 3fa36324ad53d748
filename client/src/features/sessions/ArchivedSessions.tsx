import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { wordsOf } from '@agent-console/shared/words';
import { Link } from '@tanstack/react-router';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { DelayedFallback } from '../../ui/DelayedFallback.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { sessionName } from './badge.ts';
import { isMatch } from './tree-filter.ts';

/** Archived sessions, newest first. */
export function ArchivedSessions({ filter, selected }: { filter: string; selected: string | undefined }) {
  const { data, error, refetch } = useOperationQuery('sessions.list', { archived: true, limit: PAGE_MAX });
  const unarchive = useOperationMutation('sessions.unarchive');
  const words = wordsOf(filter);
  const found = data?.data.filter((session) => isMatch(session, words));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-1">
      <Problem error={error ?? unarchive.error}>
        {error === null ? null : <Button onClick={() => void refetch()}>Try again</Button>}
      </Problem>
      {found === undefined && error === null ? (
        <DelayedFallback>
          <p className="p-2 text-quiet">Loading…</p>
        </DelayedFallback>
      ) : null}
      {found?.length === 0 ? (
        <p className="p-2 text-quiet">{words.length === 0 ? 'No archived sessions' : 'No results'}</p>
      ) : null}
      <ul>
        {found?.map((session) => (
          <li
            className="group relative flex items-center [contain-intrinsic-size:auto_28px] [content-visibility:auto]"
            key={session.id}
          >
            <Link
              aria-current={session.id === selected}
              className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md px-2 hover:bg-hover aria-[current=true]:bg-selected max-md:h-11"
              params={{ sessionId: session.id }}
              to="/sessions/$sessionId"
            >
              <UntrustedLine className="flex-1 text-quiet" text={sessionName(session)} />
              <Age className="text-sm text-quiet" since={session.archivedAt ?? session.updatedAt} />
            </Link>
            <button
              className="absolute right-1 top-1 hidden h-5 rounded border border-line bg-raised px-1.5 text-sm group-focus-within:block group-hover:block max-md:static max-md:block max-md:h-10 max-md:px-3 pointer-coarse:block"
              onClick={() => unarchive.mutate({ sessionId: session.id })}
              type="button"
            >
              Unarchive
            </button>
          </li>
        ))}
      </ul>
      {data !== undefined && data.total > data.data.length ? (
        <p className="p-2 text-sm text-quiet">{`${data.total - data.data.length} older sessions not shown`}</p>
      ) : null}
    </div>
  );
}
