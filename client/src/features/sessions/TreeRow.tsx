import type { Session } from '@agent-console/shared/models/session';
import { Link } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { Age } from '../../ui/Age.tsx';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { OverlapMark } from '../overlaps/OverlapMark.tsx';
import { RunMark } from '../runs/RunMark.tsx';
import { BadgeGlyph, badgeTone } from './BadgeGlyph.tsx';
import { describeBadge, type SessionBadge, sessionName } from './badge.ts';
import { PrompterIcon } from './PrompterMark.tsx';
import { usePrompter } from './prompter.ts';
import { TreeLines } from './TreeLines.tsx';
import { STATE_NAMES, stateOf } from './tree-filter.ts';
import type { GroupRow, SessionRow } from './tree-rows.ts';

/** Returns the element id of a row, for `aria-activedescendant`. */
export function rowElementId(id: string): string {
  return `row-${id}`;
}

/**
 * Button that expands and collapses a row. For screen readers, the button follows the row's text in the DOM, although
 * it is shown before the text.
 */
function Chevron(props: { open: boolean; onFold: () => void; label: string; className: string }) {
  const { open, onFold, label, className } = props;
  const press = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onFold();
  };
  return (
    <button
      aria-label={`${open ? 'Collapse' : 'Expand'} ${label}`}
      className={`h-full w-4 max-md:w-10 shrink-0 text-[10px] text-quiet hover:text-text ${className}`}
      onClick={press}
      tabIndex={-1}
      type="button"
    >
      {open ? '▾' : '▸'}
    </button>
  );
}

const ROW =
  'absolute inset-x-1 flex items-center rounded-md pr-2 outline-accent -outline-offset-2 data-[cursor=true]:group-focus-visible:outline-2';

interface RowPosition {
  top: number;
  height: number;
  /** Whether the row has the keyboard cursor. */
  cursor: boolean;
  index: number;
  count: number;
  onFold: (id: string, folded: boolean) => void;
  /**
   * Called to select or deselect a session for a bulk action or, with `range`, to select all sessions from the last
   * selected one to this one.
   */
  onMark: (id: string, range: boolean) => void;
}

/** Row of a group, such as a repository, a folder or a state. */
export function GroupLine({ row, ...position }: RowPosition & { row: GroupRow }) {
  const { attention } = row;
  return (
    <div
      aria-expanded={row.open}
      aria-level={1}
      aria-posinset={position.index}
      aria-selected={false}
      aria-setsize={position.count}
      className={`${ROW} cursor-default hover:bg-hover`}
      data-cursor={position.cursor}
      id={rowElementId(row.id)}
      onClick={() => position.onFold(row.id, row.open)}
      onKeyDown={undefined}
      role="treeitem"
      style={{ top: position.top, height: position.height }}
      tabIndex={-1}
      title={escapeHidden(row.title)}
    >
      <UntrustedLine className="flex-1 self-end pb-1.5 font-semibold text-quiet" text={row.name} />
      {attention && !row.open && (
        <span
          className={`mr-2 self-end pb-1.5 text-sm ${badgeTone(attention.badge)}`}
          title={STATE_NAMES[stateOf(attention.badge)]}
        >
          {attention.badge.glyph} {attention.count}
        </span>
      )}
      <span className="self-end pb-1.5 text-sm text-quiet tabular-nums">{row.count}</span>
      <Chevron
        className="order-first pt-3"
        label={escapeHidden(row.name)}
        onFold={() => position.onFold(row.id, row.open)}
        open={row.open}
      />
    </div>
  );
}

/** Numbers of added and deleted lines in the worktree of the session. */
function Changes({ session: { gitState } }: { session: Session }) {
  const changes = gitState?.changes;
  if (changes == null || changes.files === 0) return null;
  return (
    <span className="shrink-0 tabular-nums">
      <span className="text-added">+{changes.additions}</span>{' '}
      <span className="text-removed">−{changes.deletions}</span>
    </span>
  );
}

/** Row of a session: badge, name and age; below them status, changed lines, branch, labels and agent. */
export function SessionLine(
  props: RowPosition & { row: SessionRow; badge: SessionBadge; selected: boolean; pinned: boolean; marked: boolean },
) {
  const { row, badge, selected, pinned, marked, ...position } = props;
  const { session } = row;
  const name = sessionName(session);
  const prompter = usePrompter(session);
  const branch = session.gitState?.ref ?? '';
  const shown = escapeHidden(name);
  const loud = badge.kind === 'needs' || badge.unread;
  return (
    <Link
      aria-level={row.depth + 2}
      aria-posinset={position.index}
      aria-selected={selected}
      aria-setsize={position.count}
      {...(row.hasChildren ? { 'aria-expanded': row.open } : {})}
      className={`${ROW} pl-3 hover:bg-hover aria-selected:bg-selected ${marked ? 'bg-done/15 ring-1 ring-done ring-inset' : ''}`}
      data-cursor={position.cursor}
      data-badge={badge.kind}
      draggable={false}
      onClick={(event) => {
        if (!event.shiftKey) return;
        event.preventDefault();
        position.onMark(row.id, true);
      }}
      id={rowElementId(row.id)}
      onMouseEnter={(event) => {
        event.currentTarget.title = `${shown}\n${describeBadge(badge)}\n${escapeHidden(session.cwd)}`;
      }}
      params={{ sessionId: row.id }}
      role="treeitem"
      style={{ top: position.top, height: position.height }}
      tabIndex={-1}
      to="/sessions/$sessionId"
    >
      {/* This hidden text describes the whole row to screen readers, because the visible text is truncated. */}
      <span className="sr-only">
        {`${shown}, ${describeBadge(badge)}, ${session.agentId}${marked ? ', selected' : ''}${session.orchestrationId === null ? '' : ', agent of a run'}${prompter === undefined ? '' : `, prompted by ${prompter.name}`}`}
      </span>
      <TreeLines row={row} />
      {row.hasChildren ? null : <span className={`-order-2 shrink-0 ${row.depth === 0 ? 'w-4 max-md:w-2' : 'w-1'}`} />}
      <BadgeGlyph className="-order-1 mr-1.5 self-start pt-1 text-[15px] leading-5 max-md:pt-1.5" badge={badge} />
      <span
        aria-hidden
        className="flex min-w-0 flex-1 flex-col justify-center has-[+[data-overlap]]:[&>:last-child]:pr-5"
      >
        <span className={`flex min-w-0 items-baseline leading-[18px] ${loud ? 'font-semibold' : ''}`}>
          {session.createdBySessionId === null ? null : (
            <span className="mr-1 text-quiet" title="Created by an agent">
              ↳
            </span>
          )}
          {session.orchestrationId === null ? null : <RunMark />}
          {prompter === undefined ? null : (
            <span className="mr-1 shrink-0 self-center text-quiet" title={`Prompted by ${prompter.name}`}>
              <PrompterIcon />
            </span>
          )}
          <UntrustedLine className="flex-1" text={name} />
          {pinned ? <span className="ml-1 text-sm text-quiet">★</span> : null}
          <Age
            className="ml-2 min-w-7 shrink-0 text-right text-sm text-quiet tabular-nums font-normal"
            since={badge.since}
          />
        </span>
        <span className="flex min-w-0 items-baseline gap-1.5 text-[11px] leading-[15px] text-quiet">
          <span className={`shrink-0 ${badgeTone(badge)}`}>{badge.word}</span>
          <Changes session={session} />
          <UntrustedLine className="min-w-0 flex-1" text={branch === name ? '' : branch} />
          <UntrustedLine className="max-w-[40%] shrink-0" text={[...session.labels, session.agentId].join(' · ')} />
        </span>
      </span>
      <OverlapMark className="absolute right-1.5 bottom-0.5 size-5" session={session} tabIndex={-1} />
      {row.hasChildren ? (
        <Chevron className="-order-2" label={shown} onFold={() => position.onFold(row.id, row.open)} open={row.open} />
      ) : null}
    </Link>
  );
}
