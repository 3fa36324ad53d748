import { useState } from 'react';
import { openDialog } from '../../shell/dialogs.ts';
import { useKeyHints } from '../../shell/key-hints.ts';
import { SESSION_VERBS } from '../../shell/palette/session-verbs.ts';
import { useRunVerb } from '../../shell/palette/use-run-verb.ts';
import { useVerbContext } from '../../shell/palette/verb-context.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Menu, type MenuAction } from '../../ui/Menu.tsx';
import { useIsMergeUndoable } from '../integrations/use-undoable.ts';
import type { Card } from './columns.ts';
import { useHoldWhileOpen } from './held-columns.ts';
import { removeFromBoard } from './move.ts';

const WORK = ['merge', 'undo-merge', 'commit', 'check', 'push', 'update', 'editor'];
const LIFE = [
  'pause',
  'resume',
  'start',
  'stop',
  'cancel',
  'retry',
  'like',
  'rename',
  'archive',
  'unarchive',
  'remove',
];

/**
 * Actions on a card's work, on its session, and on its position on the board.
 * @param props.reached whether the Tab key reaches the button
 */
export function CardMenu(props: { card: Card; boardId: string | undefined; reached: boolean }) {
  const { card, boardId, reached } = props;
  const runVerb = useRunVerb();
  /** Whether the pointer or the focus has reached the button. Data for its menu is fetched only after that. */
  const [isReached, setReached] = useState(false);
  const isMergeUndoable = useIsMergeUndoable(isReached ? card.session : undefined);
  const contextOf = useVerbContext(() => isMergeUndoable);
  const { keysOf } = useKeyHints();
  const onOpenChange = useHoldWhileOpen();
  const { session } = card;
  const worktreeId = session?.worktreeId ?? card.worktree?.id;
  const base = session?.gitState?.work?.base ?? null;
  const actions = (ids: readonly string[]): MenuAction[] =>
    session === undefined
      ? []
      : SESSION_VERBS.filter((verb) => ids.includes(verb.id) && verb.applies(session, contextOf(session))).map(
          (verb) => ({
            label: verb.title(base === null ? null : isolateText(base)),
            danger: verb.id === 'remove',
            run: () => runVerb(verb, session),
          }),
        );
  const places: MenuAction[] =
    worktreeId === undefined
      ? []
      : [
          {
            label: boardId === undefined ? 'Move to a board…' : 'Move to a zone…',
            hint: keysOf('move-the-card'),
            run: () => openDialog({ kind: 'moveToZone', worktreeId, ...(boardId === undefined ? {} : { boardId }) }),
          },
          ...(boardId === undefined
            ? []
            : [{ label: 'Remove from board', run: () => void removeFromBoard(worktreeId) }]),
          ...(session === undefined
            ? [{ label: 'Start session…', run: () => openDialog({ kind: 'startSession', worktreeId }) }]
            : []),
        ];
  const groups = [places, actions(WORK), actions(LIFE)].filter((group) => group.length > 0);
  return (
    <Menu
      groups={groups}
      onOpenChange={onOpenChange}
      trigger={
        <button
          aria-label={`Actions for ${isolateText(card.title)}`}
          className="relative z-10 -mr-1.5 -mt-1 h-7 w-7 shrink-0 rounded-md text-lg leading-none text-quiet hover:bg-hover hover:text-text data-popup-open:bg-selected max-md:-my-2.5 max-md:-mr-2.5 max-md:h-11 max-md:w-11"
          onFocus={() => setReached(true)}
          onPointerEnter={() => setReached(true)}
          tabIndex={reached ? 0 : -1}
          type="button"
        >
          ⋯
        </button>
      }
    />
  );
}
