import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { Link } from '@tanstack/react-router';
import { memo, useMemo, useRef, useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { copy } from '../../ui/copy.ts';
import { TextInput } from '../../ui/Field.tsx';
import { escapeHidden, isolateText } from '../../ui/hidden-characters.ts';
import { Menu, type MenuAction } from '../../ui/Menu.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { byUrgency } from '../boards/columns.ts';
import { badgeContextOf } from '../inbox/inbox-items.ts';
import { useMarks } from '../inbox/marks.ts';
import { finishActions } from '../integrations/finish-actions.ts';
import { WorkFacts } from '../integrations/WorkFacts.tsx';
import { BadgeGlyph, badgeTone } from '../sessions/BadgeGlyph.tsx';
import { badgeOf, sessionName } from '../sessions/badge.ts';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { useVisibleRange } from '../sessions/use-visible-range.ts';

/**
 * Maximum number of sessions that the row of a worktree names. With more sessions, or on a phone, the row names only
 * one.
 */
const SESSIONS_SHOWN_MAX = 2;
/** Row height in CSS pixels; ROW_HEIGHT_PHONE applies on a phone. */
const ROW_HEIGHT = 64;
const ROW_HEIGHT_PHONE = 136;
/** The filter is shown only if there are more worktrees than this. */
const FILTER_FROM = 10;
/** Height in pixels of the list's borders. */
const EDGES_PX = 2;

/** On a phone, makes a link or button 40 pixels high without changing the height of its line, which is 20 pixels. */
const TALL = 'max-md:-my-2.5 max-md:py-2.5';

/** Worktrees of a repository with their actions. Only the visible rows are rendered. */
export function WorktreeTable({ repositoryId }: { repositoryId: string }) {
  const { data, error, isPending } = useOperationQuery('worktrees.list', { repositoryId, limit: PAGE_MAX });
  const [filter, setFilter] = useState('');
  const box = useRef<HTMLUListElement>(null);
  const worktrees = useMemo(() => {
    const wanted = filter.trim().toLowerCase();
    const all = data?.data ?? [];
    if (wanted === '') return all;
    return all.filter(({ name, branch }) => `${name} ${branch ?? ''}`.toLowerCase().includes(wanted));
  }, [data, filter]);
  const height = useMedia(PHONE) ? ROW_HEIGHT_PHONE : ROW_HEIGHT;
  const { range, onScroll } = useVisibleRange(box, worktrees.length, height);
  if (isPending) return <Skeleton />;
  const total = data?.data.length ?? 0;
  return (
    <>
      <Problem error={error} />
      {total > FILTER_FROM ? (
        <TextInput
          aria-label="Filter worktrees"
          className="md:max-w-80"
          onChange={(event) => setFilter(event.target.value)}
          placeholder={`Filter ${total.toLocaleString('en')} worktrees`}
          value={filter}
        />
      ) : null}
      <ul
        className="relative max-h-[70vh] overflow-y-auto rounded-lg border border-line [overflow-anchor:none] empty:hidden"
        onScroll={onScroll}
        ref={box}
        style={{ height: worktrees.length * height + EDGES_PX }}
      >
        {worktrees.slice(range.first, range.end).map((worktree, offset) => {
          const index = range.first + offset;
          return <Row count={worktrees.length} index={index} key={worktree.id} height={height} worktree={worktree} />;
        })}
        {/* The spacer gives the list the total height of all rows, so that it scrolls correctly. */}
        <li aria-hidden="true" style={{ height: worktrees.length * height }} />
      </ul>
    </>
  );
}

/** One worktree. Memoised, because scrolling renders the list again. */
const Row = memo(function Row(props: { worktree: Worktree; index: number; count: number; height: number }) {
  const { worktree, index, count, height } = props;
  const { id, kind, name, branch, path, state } = worktree;
  const ready = state === 'ready';
  // A worktree that the console created is shown under its branch, because its own name is only a number.
  const byBranch = kind === 'managed' && branch !== null;
  // The main checkout is usually on the base branch itself, so comparing it with the base branch is not useful.
  const hasFacts =
    ready && worktree.gitStatus !== null && (branch !== worktree.gitStatus.base || worktree.gitStatus.dirtyFiles > 0);
  // A worktree in which nothing has happened yet has no git status. This query makes the server compute it.
  useOperationQuery('worktrees.get', { worktreeId: id }, { enabled: ready && worktree.gitStatus === null });
  const announce = () => toast({ kind: 'plain', title: `Worktree ${isolateText(name)} restored` });
  const restore = useOperationMutation('worktrees.restore', {
    onSuccess: announce,
    onLateSuccess: announce,
    onLateError: failureToast('Could not restore the worktree'),
  });
  const actions: MenuAction[] = [
    {
      label: 'Merge…',
      disabled: finishActions(worktree).reasons.merge !== undefined,
      run: () => openDialog({ kind: 'merge', worktreeId: id }),
    },
    { label: 'Copy path', run: () => void copy(path, 'path') },
    {
      label: 'Rename…',
      run: () => openDialog({ kind: 'renameWorktree', worktreeId: id }),
    },
    {
      label: 'Remove…',
      danger: true,
      disabled: kind !== 'managed',
      run: () => openDialog({ kind: 'removeWorktree', worktreeId: id }),
    },
  ];
  return (
    <li
      aria-posinset={index + 1}
      aria-setsize={count}
      className={`absolute inset-x-0 flex items-center gap-x-3 overflow-hidden px-3 max-md:flex-col max-md:items-stretch max-md:justify-center max-md:gap-y-1.5 ${index === 0 ? '' : 'border-t border-line'}`}
      style={{ top: index * height, height }}
    >
      <div className="min-w-0 flex-1 max-md:flex-none">
        <div className="flex min-w-0 items-baseline gap-x-2 max-md:flex-wrap" title={escapeHidden(path)}>
          <UntrustedLine className="font-medium md:max-w-3/5 md:shrink-0" text={byBranch ? branch : name} />
          {branch === name ? null : (
            <UntrustedLine className="font-mono text-sm text-quiet" text={byBranch ? name : (branch ?? 'detached')} />
          )}
          {kind === 'adopted' ? (
            <span className="shrink-0 text-sm text-quiet" title="Created outside the console">
              external worktree
            </span>
          ) : null}
          {ready ? null : <span className="shrink-0 text-sm text-needs">{state}</span>}
        </div>
        <div className="flex min-w-0 items-baseline gap-x-3 overflow-hidden whitespace-nowrap text-sm text-quiet max-md:flex-col-reverse max-md:items-stretch max-md:overflow-visible [&>ul]:flex-nowrap">
          {hasFacts ? <WorkFacts worktree={worktree} /> : null}
          {hasFacts ? null : <UntrustedLine className="font-mono md:flex-1" text={path} />}
          {restore.error === null ? null : (
            <span className="truncate text-failed" role="alert" title={restore.error.message}>
              {restore.error.message}
            </span>
          )}
          <Sessions worktreeId={id} />
        </div>
      </div>
      <div className="flex gap-1.5">
        {state === 'removed' ? (
          <Button busy={restore.isPending} onClick={() => restore.mutate({ worktreeId: id })}>
            Restore
          </Button>
        ) : (
          <Button disabled={!ready} onClick={() => openDialog({ kind: 'startSession', worktreeId: id })}>
            Start session
          </Button>
        )}
        <Menu
          groups={[actions]}
          trigger={
            <Button aria-label={`Actions for ${name}`} className="px-2 max-md:min-w-10">
              ⋯
            </Button>
          }
        />
      </div>
    </li>
  );
});

/** The sessions of a worktree: the most urgent one or two by name, and a menu with the others. */
function Sessions({ worktreeId }: { worktreeId: string }) {
  const sessions = useSessions((state) => state.sessions);
  const marks = useMarks();
  const openSession = useOpenSession();
  const here = useMemo(
    () =>
      Object.values(sessions)
        .filter((session) => session.worktreeId === worktreeId)
        .map((session) => ({ session, badge: badgeOf(session, badgeContextOf(session.id, marks)) }))
        .sort(byUrgency),
    [sessions, marks, worktreeId],
  );
  const shown = useMedia(PHONE) || here.length > SESSIONS_SHOWN_MAX ? 1 : SESSIONS_SHOWN_MAX;
  const others = here.slice(shown);
  if (here.length === 0) return null;
  return (
    <ul className="flex min-w-0 shrink items-baseline gap-x-4 text-base text-text md:ml-auto md:pl-2">
      {here.slice(0, shown).map(({ session, badge }) => (
        <li className="min-w-0" key={session.id}>
          <Link
            className={`flex min-w-0 items-baseline gap-1.5 rounded hover:underline ${TALL}`}
            data-badge={badge.kind}
            params={{ sessionId: session.id }}
            to="/sessions/$sessionId"
          >
            <BadgeGlyph badge={badge} />
            <UntrustedLine className={badge.unread ? 'font-semibold' : ''} text={sessionName(session)} />
            <span className={`text-sm ${badgeTone(badge)}`}>{badge.word}</span>
          </Link>
        </li>
      ))}
      {others.length === 0 ? null : (
        <li className="shrink-0">
          <Menu
            groups={[
              others.map(({ session, badge }) => ({
                id: session.id,
                label: isolateText(sessionName(session)),
                hint: badge.word,
                run: () => openSession(session.id),
              })),
            ]}
            trigger={
              <button className={`rounded text-sm text-accent hover:underline ${TALL}`} type="button">
                {`${others.length.toLocaleString('en')} more`}
                <span className="sr-only"> sessions</span>
              </button>
            }
          />
        </li>
      )}
    </ul>
  );
}
