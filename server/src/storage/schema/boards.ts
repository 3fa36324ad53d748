import { index, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { author, referenceTo } from './common.ts';

export const boards = sqliteTable(
  'boards',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    description: text().notNull(),
    ownerId: text().notNull(),
    createdAt: text().notNull(),
    removedAt: text(),
    ...author,
  },
  (t) => [index('boards_owner').on(t.ownerId)],
);

/** Named areas of a board. Positions and sizes are in board units; a unit is one pixel at normal zoom. */
export const zones = sqliteTable(
  'zones',
  {
    id: text().primaryKey(),
    boardId: referenceTo(() => boards.id),
    name: text().notNull(),
    color: text().notNull(),
    x: real().notNull(),
    y: real().notNull(),
    width: real().notNull(),
    height: real().notNull(),
    createdAt: text().notNull(),
    ...author,
  },
  (t) => [index('zones_board').on(t.boardId)],
);
