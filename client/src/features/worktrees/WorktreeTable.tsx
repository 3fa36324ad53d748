import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Session } from '@agent-console/shared/models/session';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Menu, type MenuAction } from '../../ui/Menu.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toasts.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { BadgeGlyph, badgeTone, useSessionBadge } from '../sessions/BadgeGlyph.tsx';
import { sessionName } from '../sessions/badge.ts';
import { useSessions } from '../sessions/sessions-store.ts';

/** Maximum worktrees whose git state is fetched, because each takes a request. */
const STATE_FETCHED_MAX = 30;

/** Worktrees of a repository with their actions. */
export function WorktreeTable({ repositoryId }: { repositoryId: string }) {
  const { data, error, isPending } = useOperationQuery('worktrees.list', { repositoryId, limit: PAGE_MAX });
  if (isPending) return <Skeleton />;
  return (
    <>
      <Problem error={error} />
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {data?.data.map((worktree, index) => (
          <Row key={worktree.id} fetchesState={index < STATE_FETCHED_MAX} worktree={worktree} />
        ))}
      </ul>
    </>
  );
}

function Row({ worktree, fetchesState }: { worktree: Worktree; fetchesState: boolean }) {
  const { id, kind, name, branch, path, state } = worktree;
  const ready = state === 'ready';
  const details = useOperationQuery('worktrees.get', { worktreeId: id }, { enabled: fetchesState && ready });
  const restore = useOperationMutation('worktrees.restore', {
    onSuccess: () => toast({ kind: 'plain', title: `Worktree ${isolateText(name)} restored` }),
  });
  const hasChanges = details.data?.gitState.hasChanges ?? null;
  const actions: MenuAction[] = [
    { label: 'Copy path', run: () => void navigator.clipboard.writeText(path) },
    {
      label: 'Rename…',
      run: () => openDialog({ kind: 'operation', name: 'worktrees.update', input: { worktreeId: id, name } }),
    },
    {
      label: 'Remove…',
      danger: true,
      disabled: kind !== 'managed',
      run: () => openDialog({ kind: 'removeWorktree', worktreeId: id }),
    },
  ];
  return (
    <li className="grid grid-cols-[1fr_auto] items-center gap-x-3 gap-y-1 px-3 py-2">
      <div className="min-w-0">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <UntrustedLine className="font-medium" text={name} />
          <UntrustedLine className="font-mono text-sm" text={branch ?? 'detached'} />
          {kind === 'adopted' ? <span className="text-sm text-quiet">external</span> : null}
          {ready ? null : <span className="text-sm text-needs">{state}</span>}
          {hasChanges === null ? null : <span className="text-sm text-quiet">{hasChanges ? 'modified' : 'clean'}</span>}
        </div>
        <UntrustedLine className="font-mono text-sm text-quiet" text={path} />
        <Sessions worktreeId={id} />
      </div>
      <div className="flex gap-1.5">
        {state === 'removed' ? (
          <Button busy={restore.isPending} onClick={() => restore.mutate({ worktreeId: id })}>
            Restore
          </Button>
        ) : (
          <Button
            className="max-md:h-10"
            disabled={!ready}
            onClick={() => openDialog({ kind: 'startSession', worktreeId: id })}
          >
            Start session
          </Button>
        )}
        <Menu
          groups={[actions]}
          trigger={
            <Button aria-label={`Actions for ${name}`} className="px-2 max-md:h-10">
              ⋯
            </Button>
          }
        />
      </div>
      <div className="col-span-2 empty:hidden">
        <Problem error={restore.error} />
      </div>
    </li>
  );
}

/** Sessions of a worktree. */
function Sessions({ worktreeId }: { worktreeId: string }) {
  const sessions = useSessions((state) => state.sessions);
  const here = useMemo(
    () => Object.values(sessions).filter((session) => session.worktreeId === worktreeId),
    [sessions, worktreeId],
  );
  if (here.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-x-4">
      {here.map((session) => (
        <WorktreeSession key={session.id} session={session} />
      ))}
    </ul>
  );
}

function WorktreeSession({ session }: { session: Session }) {
  const badge = useSessionBadge(session);
  return (
    <li className="min-w-0">
      <Link
        className="flex min-w-0 items-baseline gap-1.5 rounded hover:underline"
        data-badge={badge.kind}
        params={{ sessionId: session.id }}
        to="/sessions/$sessionId"
      >
        <BadgeGlyph badge={badge} />
        <UntrustedLine className={badge.unread ? 'font-semibold' : ''} text={sessionName(session)} />
        <span className={`text-sm ${badgeTone(badge)}`}>{badge.word}</span>
      </Link>
    </li>
  );
}
