import type { Overlap } from '@agent-console/shared/models/overlap';
import type { Session } from '@agent-console/shared/models/session';
import type { MouseEvent } from 'react';
import { openDialog } from '../../shell/dialogs.ts';
import { hasConflict, useOverlapsOf } from './overlaps-store.ts';

/** Describes the overlaps of a session in one sentence. */
function describeOverlaps(overlaps: readonly Overlap[]): string {
  const conflicts = overlaps.filter(hasConflict).length;
  const others = (number: number) => (number === 1 ? 'another worktree' : `${number} other worktrees`);
  if (conflicts > 0) return `Conflicts with ${others(conflicts)}`;
  return `Changes the same files as ${others(overlaps.length)}`;
}

/** Button that opens the overlaps of a session's worktree. Renders nothing if the worktree has no overlaps. */
export function OverlapMark(props: {
  session: Session;
  className?: string;
  tabIndex?: number;
  keys?: string | undefined;
}) {
  const { session, className = '', tabIndex, keys } = props;
  const overlaps = useOverlapsOf(session);
  const [first] = overlaps;
  const { repositoryId, worktreeId } = session;
  if (first === undefined || repositoryId === null || worktreeId === null) return null;
  const sentence = describeOverlaps(overlaps);
  const open = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
    openDialog({ kind: 'overlaps', repositoryId, worktreeId });
  };
  return (
    <button
      aria-label={sentence}
      className={`grid shrink-0 place-items-center rounded-md hover:bg-hover ${hasConflict(first) ? 'text-needs' : 'text-quiet'} ${className}`}
      data-overlap
      onClick={open}
      tabIndex={tabIndex}
      title={keys === undefined ? sentence : `${sentence} (${keys})`}
      type="button"
    >
      <svg
        aria-hidden="true"
        fill="none"
        height="14"
        stroke="currentColor"
        strokeWidth="1.4"
        viewBox="0 0 14 14"
        width="14"
      >
        <circle cx="5" cy="7" r="3.6" />
        <circle cx="9" cy="7" r="3.6" />
      </svg>
    </button>
  );
}
