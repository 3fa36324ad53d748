import * as v from 'valibot';
import { cutText } from '../cut.ts';
import { TOOL_BOARD_WORKTREES_MAX, TOOL_DESCRIPTION_CHARS } from '../limits/answers.ts';
import type { Board, BoardRow } from '../models/board.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { type ListArguments, snakeCreated, snakeCreatedOf, snakeEntity, snakeList } from './snake.ts';

const about = { board_id: v.string(), name: v.string(), description: v.string(), owner_id: v.string() };

export const AgorBoard = v.looseObject({
  ...about,
  zones: v.array(v.looseObject({ id: v.string(), name: v.string(), color: v.string() })),
  worktrees: v.array(v.string()),
  created_at: Timestamp,
});
export const AgorBoards = pageOf(v.looseObject({ ...about, created_at: Timestamp }));
export const AgorBoardCreated = snakeCreatedOf(AgorBoard);

/** Formats a board with the ids of its newest worktrees. */
export function agorBoard(board: Board) {
  const worktrees = board.worktrees.slice(-TOOL_BOARD_WORKTREES_MAX);
  const shown = { ...board, description: short(board.description), worktrees };
  return {
    ...snakeEntity('board', shown),
    ...(worktrees.length < board.worktrees.length ? { worktree_count: board.worktrees.length } : {}),
  };
}

export function agorBoardRow(row: BoardRow) {
  return snakeEntity('board', { ...row, description: short(row.description) });
}

export function agorBoards(page: Page<BoardRow>, args: ListArguments) {
  return snakeList(page, agorBoardRow, args);
}

function short(description: string): string {
  return cutText(description, TOOL_DESCRIPTION_CHARS, 'use REST for the full text');
}

export function agorBoardCreated(board: Board) {
  return snakeCreated(board.id, agorBoard(board));
}
