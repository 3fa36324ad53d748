import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** A named area of a board. Positions and sizes are in board units: one is a pixel at normal zoom. */
export const Zone = v.object({
  id: v.string(),
  boardId: v.string(),
  name: v.string(),
  /** `#rrggbb` */
  color: v.string(),
  x: v.number(),
  y: v.number(),
  width: v.number(),
  height: v.number(),
  createdAt: Timestamp,
});
export type Zone = v.InferOutput<typeof Zone>;

/** What a zone is like of which nothing but its name is said. */
export const PLAIN_ZONE = { color: '#64748b', x: 0, y: 0, width: 600, height: 400 } as const;

const about = {
  id: v.string(),
  name: v.string(),
  description: v.string(),
  ownerId: v.string(),
};

/** A board as lists show it. */
export const BoardRow = v.object({
  ...about,
  zoneCount: v.number(),
  worktreeCount: v.number(),
  createdAt: Timestamp,
});
export type BoardRow = v.InferOutput<typeof BoardRow>;

/** Where worktrees, and with them their sessions, are laid out; each worktree itself says where on it. */
export const Board = v.object({
  ...about,
  zones: v.array(Zone),
  /** Ids of the worktrees that lie on it. */
  worktrees: v.array(v.string()),
  createdAt: Timestamp,
});
export type Board = v.InferOutput<typeof Board>;
