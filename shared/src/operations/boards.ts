import * as v from 'valibot';
import { AgorPage } from '../agor/arguments.ts';
import { AgorBoard, AgorBoardCreated, AgorBoards, agorBoard, agorBoardCreated, agorBoards } from '../agor/boards.ts';
import { AGE, sessionColumns } from '../columns.ts';
import { described } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { BOARD_EXTENT, BOARD_ZONES_MAX } from '../limits/boards.ts';
import { Board, BoardRow, PLAIN_ZONE, Zone } from '../models/board.ts';
import { Session } from '../models/session.ts';
import { Worktree } from '../models/worktree.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { LongText, Title } from '../text.ts';

const boardId = IdPrefix('board');
const zoneId = IdPrefix('zone');
const ids = { boardId: 'board' } as const;
const zoneIds = { zoneId: 'zone' } as const;
const Name = v.pipe(Title, v.minLength(1, 'must not be blank'), v.description('Display name'));
const BoardName = described(Name, 'Name of the board');
const OwnerId = described(IdPrefix('user'), 'Filter by owner');
const Coordinate = v.pipe(v.number(), v.minValue(-BOARD_EXTENT), v.maxValue(BOARD_EXTENT));
const Size = v.pipe(v.number(), v.minValue(1), v.maxValue(BOARD_EXTENT));
const position = {
  x: described(Coordinate, 'Left edge in board units (1 unit is 1 pixel at normal zoom)'),
  y: described(Coordinate, 'Top edge in board units'),
  width: described(Size, 'Width in board units'),
  height: described(Size, 'Height in board units'),
};
const Color = v.pipe(
  v.string(),
  v.regex(/^#[0-9a-fA-F]{6}$/, 'must be #rrggbb'),
  v.toLowerCase(),
  v.description('Color as #rrggbb'),
);

export const boards = [
  operation({
    name: 'boards.list',
    summary: 'Boards, newest first',
    access: 'workspace-read',
    ids: { ownerId: 'user' },
    rest: { method: 'GET', path: '/boards' },
    cli: {
      command: 'boards list',
      columns: [
        'id',
        'name',
        { heading: 'WORKTREES', path: 'worktreeCount' },
        { heading: 'ZONES', path: 'zoneCount' },
        { heading: 'OWNER', path: 'ownerId', names: 'user' },
        AGE,
      ],
    },
    tool: {
      name: 'agor_boards_list',
      toolset: 'boards',
      description: 'List boards (where worktrees are laid out in zones), newest first.',
      input: v.strictObject({
        ownerId: v.optional(OwnerId),
        ...AgorPage,
      }),
      output: AgorBoards,
      toResult: agorBoards,
    },
    input: v.strictObject({ ownerId: v.optional(OwnerId), ...PageInput }),
    output: pageOf(BoardRow),
  }),
  operation({
    name: 'boards.get',
    summary: 'One board with its zones and the ids of its worktrees',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/boards/:boardId' },
    cli: { command: 'boards get', positional: ['boardId'] },
    tool: {
      name: 'agor_boards_get',
      toolset: 'boards',
      description: 'One board: its zones (positions and sizes in pixels at normal zoom) and the ids of its worktrees.',
      output: AgorBoard,
      toResult: agorBoard,
    },
    input: v.strictObject({ boardId }),
    output: Board,
  }),
  operation({
    name: 'boards.create',
    summary: "Create a board; an agent's board belongs to the user that the agent works for",
    access: 'self',
    ids: { ownerId: 'user' },
    idempotent: true,
    rest: { method: 'POST', path: '/boards', status: 201 },
    cli: { command: 'boards create', positional: ['name'] },
    tool: { name: 'agor_boards_create', toolset: 'boards', output: AgorBoardCreated, toResult: agorBoardCreated },
    example: { name: 'This week' },
    input: v.strictObject({
      name: BoardName,
      description: v.optional(described(LongText, 'Description; may be empty'), ''),
      ownerId: v.optional(
        described(
          IdPrefix('user'),
          'Owner, by id or prefix; default: the calling user; for an agent, the user it works for',
        ),
      ),
      zones: v.optional(
        v.pipe(v.array(Name), v.maxLength(BOARD_ZONES_MAX), v.description('Names of new zones, from left to right')),
        [],
      ),
      idempotencyKey: IdempotencyKey,
    }),
    output: Board,
  }),
  operation({
    name: 'boards.update',
    summary: 'Change the name or description of a board',
    access: 'member',
    ids,
    rest: { method: 'PATCH', path: '/boards/:boardId' },
    cli: { command: 'boards update', positional: ['boardId'] },
    example: { name: 'Next week' },
    input: v.strictObject({
      boardId,
      name: v.optional(BoardName),
      description: v.optional(described(LongText, 'Description; empty clears it')),
    }),
    output: Board,
  }),
  operation({
    name: 'boards.duplicate',
    summary:
      'Copy a board with its zones and optionally its managed worktrees, each on a new branch; if any part fails, nothing is copied',
    access: 'self',
    ids,
    idempotent: true,
    rest: { method: 'POST', path: '/boards/:boardId/duplicate', status: 201 },
    cli: { command: 'boards duplicate', positional: ['boardId', 'newName'] },
    tool: { name: 'agor_boards_duplicate', toolset: 'boards', output: AgorBoardCreated, toResult: agorBoardCreated },
    example: { newName: 'Next week' },
    input: v.strictObject({
      boardId,
      newName: described(Name, 'Name of the copy'),
      includeWorktrees: v.optional(
        described(v.boolean(), 'Also copy the managed worktrees at their last commits'),
        false,
      ),
      idempotencyKey: IdempotencyKey,
    }),
    output: Board,
  }),
  operation({
    name: 'boards.remove',
    summary: 'Remove a board and its zones; its worktrees remain, without a board',
    access: 'member',
    ids,
    rest: { method: 'DELETE', path: '/boards/:boardId' },
    cli: { command: 'boards remove', positional: ['boardId'] },
    input: v.strictObject({ boardId }),
    output: Board,
  }),
  operation({
    name: 'boards.sessions',
    summary: 'Sessions in the worktrees of a board, newest first',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/boards/:boardId/sessions' },
    cli: { command: 'boards sessions', positional: ['boardId'], columns: sessionColumns },
    resource: {
      uri: 'agor://board/{id}/sessions',
      name: 'board-sessions',
      description: 'The sessions in the worktrees of a board, newest first. Page with ?skip=&limit=.',
      id: 'boardId',
      offers: { from: 'boards.list', id: (board: { id: string }) => board.id },
    },
    input: v.strictObject({ boardId, ...PageInput }),
    output: pageOf(Session),
  }),
  operation({
    name: 'boards.worktrees',
    summary: 'Worktrees on a board with their zones, oldest first',
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/boards/:boardId/worktrees' },
    cli: {
      command: 'boards worktrees',
      positional: ['boardId'],
      columns: ['id', 'name', 'branch', 'zoneId', 'state'],
    },
    input: v.strictObject({ boardId, ...PageInput }),
    output: pageOf(Worktree),
  }),
] as const;

export const zones = [
  operation({
    name: 'zones.create',
    summary: 'Add a zone to a board',
    access: 'member',
    ids,
    idempotent: true,
    rest: { method: 'POST', path: '/boards/:boardId/zones', status: 201 },
    cli: { command: 'zones create', positional: ['boardId', 'name'] },
    example: { name: 'In review' },
    input: v.strictObject({
      boardId,
      name: Name,
      color: v.optional(Color, PLAIN_ZONE.color),
      x: v.optional(position.x, PLAIN_ZONE.x),
      y: v.optional(position.y, PLAIN_ZONE.y),
      width: v.optional(position.width, PLAIN_ZONE.width),
      height: v.optional(position.height, PLAIN_ZONE.height),
    }),
    output: Zone,
  }),
  operation({
    name: 'zones.update',
    summary: 'Change the name, color, position or size of a zone',
    access: 'member',
    ids: zoneIds,
    rest: { method: 'PATCH', path: '/zones/:zoneId' },
    cli: { command: 'zones update', positional: ['zoneId'] },
    example: { name: 'In review' },
    input: v.strictObject({
      zoneId,
      name: v.optional(Name),
      color: v.optional(Color),
      x: v.optional(position.x),
      y: v.optional(position.y),
      width: v.optional(position.width),
      height: v.optional(position.height),
    }),
    output: Zone,
  }),
  operation({
    name: 'zones.remove',
    summary: 'Remove a zone; its worktrees stay on the board',
    access: 'member',
    ids: zoneIds,
    rest: { method: 'DELETE', path: '/zones/:zoneId' },
    cli: { command: 'zones remove', positional: ['zoneId'] },
    input: v.strictObject({ zoneId }),
    output: Zone,
  }),
] as const;
