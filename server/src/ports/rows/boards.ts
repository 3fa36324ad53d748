/** Boards and their zones, as stored. Columns are explained in storage/schema/boards.ts. */

export interface BoardRow {
  id: string;
  name: string;
  description: string;
  ownerId: string;
  createdAt: string;
  removedAt: string | null;
  /** The session it was made through: the transaction writes it, and it is there to be asked for, never in what is read. */
  viaSessionId?: string | null;
}

export interface ZoneRow {
  id: string;
  boardId: string;
  name: string;
  color: string;
  x: number;
  y: number;
  width: number;
  height: number;
  createdAt: string;
}
