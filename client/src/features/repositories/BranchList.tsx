import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Repository } from '@agent-console/shared/models/repository';
import { useRef, useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { copy } from '../../ui/copy.ts';
import { TextInput } from '../../ui/Field.tsx';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { Menu } from '../../ui/Menu.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { failureToast } from '../../ui/toasts.ts';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { useVisibleRange } from '../sessions/use-visible-range.ts';
import { BranchWork, branchWorkActions } from './BranchWork.tsx';

const ROW_HEIGHT = 40;
/** Height in pixels of the list's borders. */
const EDGES_PX = 2;
/** The filter is shown only if there are more branches than this. */
const FILTER_FROM = 10;

export function BranchList({ repository }: { repository: Repository }) {
  const { id: repositoryId, defaultBranch } = repository;
  const { data, error, isPending } = useOperationQuery('repositories.branches', { repositoryId, limit: PAGE_MAX });
  const { data: worktrees } = useOperationQuery('worktrees.list', { repositoryId, limit: PAGE_MAX });
  const update = useOperationMutation('repositories.update', {
    onLateError: failureToast('Could not change the default branch'),
  });
  const [filter, setFilter] = useState('');
  const box = useRef<HTMLUListElement>(null);
  const branches = data?.data ?? [];
  const found = branches.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()));
  const { range, onScroll } = useVisibleRange(box, found.length, ROW_HEIGHT);
  if (isPending) return <Skeleton />;
  return (
    <>
      <Problem error={error ?? update.error} />
      {branches.length > FILTER_FROM ? (
        <TextInput
          aria-label="Filter branches"
          className="md:max-w-80"
          onChange={(event) => setFilter(event.target.value)}
          placeholder={`Filter ${data?.total.toLocaleString('en')} branches`}
          value={filter}
        />
      ) : null}
      <ul
        aria-label="Branches"
        className="relative max-h-[65vh] overflow-y-auto rounded-lg border border-line [overflow-anchor:none] empty:hidden"
        onScroll={onScroll}
        ref={box}
        style={{ height: found.length * ROW_HEIGHT + EDGES_PX }}
      >
        {found.slice(range.first, range.end).map(({ name, sha, remote, worktreePath }, offset) => {
          const index = range.first + offset;
          const worktree = worktrees?.data.find(({ branch, path }) => branch === name && path === worktreePath);
          const place = name === defaultBranch ? 'default branch' : remote ? 'remote' : '';
          return (
            <li
              aria-posinset={index + 1}
              aria-setsize={found.length}
              className={`absolute inset-x-0 flex items-center gap-3 px-3 ${index === 0 ? '' : 'border-t border-line'}`}
              key={name}
              style={{ top: index * ROW_HEIGHT, height: ROW_HEIGHT }}
            >
              <UntrustedLine className="flex-1 font-mono text-sm" text={name} />
              {worktree === undefined ? null : <BranchWork worktree={worktree} />}
              {/* A long path is cut at its start, because the paths of worktrees differ at the end. */}
              <span
                className={`min-w-0 max-w-[45%] truncate text-sm text-quiet max-md:hidden ${worktreePath === null ? '' : '[direction:rtl]'}`}
                title={worktreePath === null ? undefined : escapeHidden(worktreePath)}
              >
                <UntrustedText text={worktreePath ?? place} />
              </span>
              <span className="shrink-0 font-mono text-sm text-quiet max-md:hidden">{sha.slice(0, 8)}</span>
              <Menu
                groups={[
                  ...(worktree === undefined ? [] : [branchWorkActions(worktree)]),
                  [
                    {
                      label: 'Delegate work from here…',
                      run: () => openDialog({ kind: 'delegate', repositoryId, baseBranch: name }),
                    },
                    {
                      label: 'New worktree from here…',
                      run: () => openDialog({ kind: 'createWorktree', repositoryId, baseBranch: name }),
                    },
                    {
                      label: 'Make default branch',
                      disabled: remote || name === defaultBranch,
                      run: () => update.mutate({ repositoryId, defaultBranch: name }),
                    },
                    { label: 'Copy name', run: () => void copy(name, 'name') },
                  ],
                ]}
                trigger={
                  <Button aria-label={`Actions for ${name}`} className="px-2 max-md:min-w-10" kind="quiet">
                    ⋯
                  </Button>
                }
              />
            </li>
          );
        })}
        {/* The spacer gives the list the total height of all rows, so that it scrolls correctly. */}
        <li aria-hidden="true" style={{ height: found.length * ROW_HEIGHT }} />
      </ul>
      {branches.length === 0 && error === null ? <p className="text-quiet">No branches yet</p> : null}
    </>
  );
}
