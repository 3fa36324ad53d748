import * as v from 'valibot';
import type { Board, BoardRow } from '../models/board.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { snakeCreated, snakeCreatedOf, snakeEntity, snakeList } from './snake.ts';

const about = { board_id: v.string(), name: v.string(), description: v.string(), owner_id: v.string() };

export const AgorBoard = v.looseObject({
  ...about,
  zones: v.array(v.looseObject({ id: v.string(), name: v.string(), color: v.string() })),
  worktrees: v.array(v.string()),
  created_at: Timestamp,
});
export const AgorBoardRow = v.looseObject({ ...about, created_at: Timestamp });
export const AgorBoards = pageOf(AgorBoardRow);
export const AgorBoardCreated = snakeCreatedOf(AgorBoard);

export function agorBoard(board: Board) {
  return snakeEntity('board', board);
}

export function agorBoardRow(row: BoardRow) {
  return snakeEntity('board', row);
}

export function agorBoards(page: Page<BoardRow>) {
  return snakeList(page, agorBoardRow);
}

export function agorBoardCreated(board: Board) {
  return snakeCreated(board.id, agorBoard(board));
}
