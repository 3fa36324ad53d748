import { pluralize } from '@agent-console/shared/pluralize';
import { draggable } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Age } from '../../ui/Age.tsx';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { UntrustedBlock, UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { OverlapMark } from '../overlaps/OverlapMark.tsx';
import { RunMark } from '../runs/RunMark.tsx';
import { BadgeGlyph, badgeTone } from '../sessions/BadgeGlyph.tsx';
import { describeBadge, lastSegment } from '../sessions/badge.ts';
import { PrompterMark } from '../sessions/PrompterMark.tsx';
import { CardFacts } from './CardFacts.tsx';
import { CardMenu } from './CardMenu.tsx';
import { CardQuestion } from './CardQuestion.tsx';
import type { Card } from './columns.ts';

export interface DraggedCard extends Record<string | symbol, unknown> {
  type: 'card';
  worktreeId: string;
}

/**
 * A card of a board. It shows a session, or a worktree with its sessions. The card's title is a link that covers the
 * whole card.
 */
export function BoardCard(props: {
  card: Card;
  repository: string | undefined;
  boardId: string | undefined;
  /** Whether the Tab key reaches this card. It reaches only one card per board; the arrow keys move to the others. */
  reached: boolean;
}) {
  const { card, repository, boardId, reached } = props;
  const { session, badge, worktree, others } = card;
  const box = useRef<HTMLElement>(null);
  const [hasFocus, setHasFocus] = useState(false);
  const outcome = outcomeOf(card);
  const isDragged = useDraggable(box, boardId === undefined ? undefined : worktree?.id);
  const branch = session?.gitState?.ref ?? worktree?.branch;
  const known = [repository, branch].filter((part) => part != null && part !== '').join(' · ');
  const where = known === '' ? lastSegment(session?.cwd ?? '') : known;
  const name = escapeHidden(card.title);
  const title = (
    <>
      <UntrustedText
        className={`line-clamp-2 break-words text-left ${badge?.unread || badge?.kind === 'needs' ? 'font-semibold' : 'font-medium'}`}
        text={card.title}
      />
      {badge === undefined ? null : <span className="sr-only">, {describeBadge(badge)}</span>}
    </>
  );
  const link = `min-w-0 flex-1 rounded outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent`;
  return (
    <article
      aria-label={name}
      className={`group/card relative flex flex-col gap-1 rounded-lg border border-line bg-raised px-3 py-2 hover:border-line-strong ${isDragged ? 'opacity-40' : ''} ${boardId === undefined ? '' : 'cursor-grab'}`}
      data-badge={badge?.kind}
      data-session={session?.id}
      onBlur={() => setHasFocus(false)}
      onFocus={() => setHasFocus(true)}
      ref={box}
    >
      <div className="flex items-start gap-1.5">
        {badge === undefined ? (
          <span aria-hidden className="w-4 shrink-0 text-center text-quiet">
            –
          </span>
        ) : (
          <BadgeGlyph badge={badge} />
        )}
        {session === undefined ? (
          <Link
            className={link}
            data-card={card.id}
            draggable={false}
            params={{ repositoryId: worktree?.repositoryId ?? '' }}
            tabIndex={reached ? 0 : -1}
            to="/repositories/$repositoryId"
          >
            {title}
          </Link>
        ) : (
          <Link
            className={link}
            data-card={card.id}
            draggable={false}
            params={{ sessionId: session.id }}
            tabIndex={reached ? 0 : -1}
            to="/sessions/$sessionId"
          >
            {title}
          </Link>
        )}
        {session === undefined ? null : (
          <>
            <PrompterMark className="relative z-10 -my-0.5 size-6" session={session} />
            <OverlapMark className="relative z-10 -my-0.5 size-6" session={session} tabIndex={-1} />
          </>
        )}
        <CardMenu boardId={boardId} card={card} reached={reached} />
      </div>
      <div className="flex items-baseline gap-2 text-sm text-quiet">
        <span className="flex min-w-0 flex-1 items-baseline">
          {session?.orchestrationId == null ? null : <RunMark />}
          <UntrustedLine text={where} />
        </span>
        <span className="max-w-28 shrink-0 truncate">{session?.agentId}</span>
      </div>
      <div className="flex flex-wrap items-baseline gap-x-2 text-sm text-quiet">
        {badge === undefined ? (
          <span>no session</span>
        ) : (
          <span className={badgeTone(badge)}>
            {badge.word} <Age since={badge.since} />
          </span>
        )}
        <CardFacts card={card} />
        {others > 0 ? <span className="ml-auto">{`+${pluralize(others, 'session')}`}</span> : null}
      </div>
      {badge?.kind === 'needs' && session !== undefined ? (
        <CardQuestion hasKeys={hasFocus} sessionId={session.id} />
      ) : null}
      {outcome === undefined ? null : (
        <UntrustedBlock
          className={`line-clamp-2 text-sm ${badge?.kind === 'failed' ? 'text-failed' : 'text-quiet'}`}
          text={outcome}
        />
      )}
    </article>
  );
}

/** Returns the summary of the card's finished task, or the reason why the task failed. */
function outcomeOf({ session, badge }: Card): string | undefined {
  const { error = null, summary = null } = session?.task ?? {};
  if (badge?.kind === 'failed') return error?.message ?? summary ?? undefined;
  return badge?.kind === 'done' ? (summary ?? undefined) : undefined;
}

/** Makes a card draggable to other zones. Returns whether it is being dragged. */
function useDraggable(box: React.RefObject<HTMLElement | null>, worktreeId: string | undefined): boolean {
  const [isDragged, setIsDragged] = useState(false);
  useEffect(() => {
    if (box.current === null || worktreeId === undefined) return undefined;
    const data: DraggedCard = { type: 'card', worktreeId };
    return draggable({
      element: box.current,
      getInitialData: () => data,
      onDragStart: () => setIsDragged(true),
      onDrop: () => setIsDragged(false),
    });
  }, [box, worktreeId]);
  return isDragged;
}
