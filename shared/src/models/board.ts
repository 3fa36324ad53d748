import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

/** A named area of a board. Positions and sizes are in board units: one unit is one pixel at normal zoom. */
export const Zone = v.object({
  id: ownId('Zone'),
  boardId: idOf('board', 'Id of the board of the zone'),
  name: described(v.string(), 'Display name'),
  color: described(v.string(), 'Color as #rrggbb'),
  x: described(v.number(), 'Left edge in board units (1 unit is 1 pixel at normal zoom)'),
  y: described(v.number(), 'Top edge in board units'),
  width: described(v.number(), 'Width in board units'),
  height: described(v.number(), 'Height in board units'),
  createdAt: described(Timestamp, 'Creation time'),
});
export type Zone = v.InferOutput<typeof Zone>;

/** Defaults for a zone that is created with only a name. */
export const PLAIN_ZONE = { color: '#64748b', x: 0, y: 0, width: 600, height: 400 } as const;

const boardFields = {
  id: ownId('Board'),
  name: described(v.string(), 'Display name'),
  description: described(v.string(), 'Description; may be empty'),
  ownerId: idOf('user', 'Id of the user who owns the board. Only this user and the local owner may change the board'),
};

export const BoardRow = v.object({
  ...boardFields,
  zoneCount: described(v.number(), 'Number of zones'),
  worktreeCount: described(v.number(), 'Number of worktrees on the board'),
  createdAt: described(Timestamp, 'Creation time'),
});
export type BoardRow = v.InferOutput<typeof BoardRow>;

/** A layout of worktrees and their sessions. Each worktree stores its own position on the board. */
export const Board = v.object({
  ...boardFields,
  zones: described(v.array(Zone), 'Zones, oldest first'),
  worktrees: described(v.array(idOf('worktree', 'Worktree id')), 'Ids of the worktrees on the board'),
  createdAt: described(Timestamp, 'Creation time'),
});
export type Board = v.InferOutput<typeof Board>;
