import type { Board } from '@agent-console/shared/models/board';
import type { Session } from '@agent-console/shared/models/session';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { describe, expect, it } from 'vitest';
import { matchesFilter, stateColumns, zoneColumns } from '../../src/features/boards/columns.ts';
import type { SessionBadge } from '../../src/features/sessions/badge.ts';

function shown(
  title: string,
  kind: SessionBadge['kind'],
  fields: { task?: object; isLost?: boolean; merged?: boolean; at?: number; unread?: boolean } = {},
) {
  const { task = {}, isLost = false, merged = false, at = 0, unread = false } = fields;
  const session = {
    id: title,
    title,
    worktreeId: `w-${title}`,
    gitState: { ref: title, work: { merged } },
    orchestrationId: null,
    task: { waitingFor: null, ...task },
    workers: [{ type: 'agent', state: isLost ? 'lost' : 'running' }],
  };
  const badge = { kind, word: `a ${kind} word`, unread, since: new Date(at).toISOString() };
  return { session: session as unknown as Session, badge: badge as unknown as SessionBadge };
}

const LOST = { status: 'interrupted', error: { code: 'RUNNER_UNAVAILABLE' } };

const titles = (columns: ReturnType<typeof stateColumns>) =>
  Object.fromEntries(columns.map(({ id, cards }) => [id, cards.map(({ title }) => title)]));

describe('the board by state', () => {
  it('puts each session into one column', () => {
    const columns = stateColumns([
      shown('asks', 'needs'),
      shown('failed', 'failed', { unread: true }),
      shown('failed and read', 'failed'),
      shown('lost at work', 'unknown', { isLost: true, task: LOST, unread: true }),
      shown('lost at work and read', 'unknown', { isLost: true, task: LOST }),
      shown('lost while idle', 'unknown', { isLost: true }),
      shown('works', 'working'),
      shown('silent', 'unknown'),
      shown('waits for a report', 'idle', { task: { waitingFor: 'report' } }),
      shown('done', 'done'),
      shown('done and merged', 'done', { merged: true }),
      shown('failed and merged', 'failed', { merged: true }),
      shown('merged before it failed', 'failed', { merged: true, unread: true }),
      shown('works again after the merge', 'working', { merged: true }),
      shown('paused', 'paused'),
    ]);
    expect(titles(columns)).toEqual({
      needs: expect.arrayContaining(['asks', 'failed', 'lost at work', 'merged before it failed']),
      working: expect.arrayContaining(['works', 'silent', 'waits for a report', 'works again after the merge']),
      done: expect.arrayContaining(['done', 'failed and read']),
      merged: expect.arrayContaining(['done and merged', 'failed and merged']),
      idle: expect.arrayContaining(['lost at work and read', 'lost while idle', 'paused']),
    });
  });

  it('sorts sessions that need a person oldest first and others newest first, without an empty idle column', () => {
    const columns = stateColumns([
      shown('later', 'needs', { at: 2 }),
      shown('first', 'needs', { at: 1 }),
      shown('older', 'done', { at: 1 }),
      shown('newer', 'done', { at: 2 }),
    ]);
    expect(titles(columns)).toEqual({ needs: ['first', 'later'], working: [], done: ['newer', 'older'], merged: [] });
  });
});

describe('a board with zones', () => {
  const board = {
    zones: [
      { id: 'right', name: 'Done', x: 640, y: 0 },
      { id: 'left', name: 'Next', x: 0, y: 0 },
    ],
  } as Board;
  const worktree = (name: string, zoneId: string | null, y: number | null = null) =>
    ({ id: `w-${name}`, name, zoneId, x: null, y }) as Worktree;

  it('orders zones from left to right and worktrees from top to bottom, worktrees without a zone first', () => {
    const worktrees = [worktree('low', 'left', 200), worktree('high', 'left', 100), worktree('new', 'left')];
    expect(titles(zoneColumns(board, worktrees, []))).toEqual({ left: ['high', 'low', 'new'], right: [] });
    expect(Object.keys(titles(zoneColumns(board, [worktree('a', 'removed zone')], [])))).toEqual([
      'none',
      'left',
      'right',
    ]);
  });

  it('shows the most urgent session of a worktree and the number of its other sessions', () => {
    const session = shown('Rework', 'done');
    const asking = {
      session: { ...shown('Asks', 'needs').session, worktreeId: 'w-a' },
      badge: shown('', 'needs').badge,
    };
    const other = { ...session, session: { ...session.session, worktreeId: 'w-a' } };
    const [left] = zoneColumns(board, [worktree('a', 'left')], [other, asking]);
    expect(left?.cards).toMatchObject([{ id: 'w-a', title: 'Asks', others: 1 }]);
  });
});

it('a filter matches title, state, branch and repository', () => {
  const [card] = stateColumns([shown('Rework the checkout', 'needs')])[0]?.cards ?? [];
  if (card === undefined) throw new Error('there is a card');
  expect(matchesFilter(card, 'check needs', 'shop')).toBe(true);
  expect(matchesFilter(card, 'shop', 'shop')).toBe(true);
  expect(matchesFilter(card, 'blog', 'shop')).toBe(false);
});
