import { openDialog } from '../../shell/dialogs.ts';
import type { Card, Column } from './columns.ts';
import { reorderWorktree } from './move.ts';

interface CurrentCard {
  card: Card;
  column: Column;
}

export function findCard(columns: readonly Column[], id: string | undefined): CurrentCard | undefined {
  for (const column of columns) {
    const card = column.cards.find((each) => each.id === id);
    if (card !== undefined) return { card, column };
  }
  return undefined;
}

/** Returns the shortcuts for the current card: answer its question, move it to another zone, or move it up or down. */
export function cardShortcuts(boardId: string | undefined, current: () => CurrentCard | undefined) {
  const answer = () => {
    const article = document.querySelector(`[data-card="${current()?.card.id}"]`)?.closest('article');
    article?.querySelector<HTMLElement>('[data-answer]')?.focus();
  };
  const move = () => {
    const { session, worktree } = current()?.card ?? {};
    const worktreeId = session?.worktreeId ?? worktree?.id;
    if (worktreeId == null) return;
    openDialog({ kind: 'moveToZone', worktreeId, ...(boardId === undefined ? {} : { boardId }) });
  };
  const reorder = (by: 1 | -1) => {
    const found = current();
    if (boardId === undefined || found === undefined) return;
    const column = found.column.cards.map(({ id }) => id);
    void reorderWorktree(found.card.id, boardId, column, by);
  };
  return {
    'answer-the-question-on-the-card': answer,
    'move-the-card': move,
    'move-the-card-down': () => reorder(1),
    'move-the-card-up': () => reorder(-1),
  };
}
