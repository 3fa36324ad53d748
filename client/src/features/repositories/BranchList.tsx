import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { TextInput } from '../../ui/Field.tsx';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';

/** Rows shown at most. */
const SHOWN_MAX = 30;
/** Branches above which a filter is shown. */
const FILTER_FROM = 10;

/** Branches of a repository and where they are checked out. */
export function BranchList({ repositoryId }: { repositoryId: string }) {
  const { data, error, isPending } = useOperationQuery('repositories.branches', { repositoryId, limit: PAGE_MAX });
  const [filter, setFilter] = useState('');
  if (isPending) return <Skeleton />;
  const branches = data?.data ?? [];
  const found = branches.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const hidden = found.length - SHOWN_MAX;
  return (
    <div className="flex flex-col gap-2">
      <Problem error={error} />
      {branches.length > FILTER_FROM ? (
        <TextInput
          aria-label="Filter branches"
          className="md:max-w-80"
          onChange={(event) => setFilter(event.target.value)}
          placeholder={`Filter ${data?.total.toLocaleString()} branches`}
          value={filter}
        />
      ) : null}
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {found.slice(0, SHOWN_MAX).map(({ name, sha, remote, worktreePath }) => (
          <li className="flex items-baseline gap-3 px-3 py-1.5" key={name}>
            <UntrustedLine className="flex-1 font-mono text-sm" text={name} />
            <span
              className="min-w-0 max-w-[50%] text-sm text-quiet max-md:hidden"
              title={worktreePath === null ? undefined : escapeHidden(worktreePath)}
            >
              <UntrustedLine text={worktreePath ?? (remote ? 'remote' : '')} />
            </span>
            <span className="shrink-0 font-mono text-sm text-quiet">{sha.slice(0, 8)}</span>
          </li>
        ))}
      </ul>
      {hidden > 0 ? <p className="text-quiet">and {hidden.toLocaleString()} more</p> : null}
      {branches.length === 0 && error === null ? <p className="text-quiet">No branches yet</p> : null}
    </div>
  );
}
