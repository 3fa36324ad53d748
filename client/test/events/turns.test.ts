import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { expect, test } from 'vitest';
import { groupTurns } from '../../src/features/events/turns.ts';

let seq = 0;
const event = (type: string, sessionId?: string, data: Record<string, unknown> = {}): ConsoleEvent =>
  ({
    seq: ++seq,
    at: '2026-01-01T10:00:00.000Z',
    type,
    subject: { kind: 'task', id: 't' },
    actor: 'system',
    data: { ...(sessionId === undefined ? {} : { sessionId }), ...data },
  }) as ConsoleEvent;

test('the events of a turn are one group, also between those of other sessions', () => {
  const groups = groupTurns([
    event('server.started'),
    event('session.created', 'a'),
    event('task.queued', 'a'),
    event('task.started', 'a'),
    event('task.started', 'b'),
    event('activity.changed', 'a'),
    event('task.ended', 'a', { status: 'completed' }),
    event('activity.changed', 'b'),
    event('session.paused', 'a'),
  ]);
  expect(groups.map(({ head, events, sessionId }) => [head.type, events.length, sessionId])).toEqual([
    ['session.paused', 1, 'a'],
    ['task.started', 2, 'b'],
    ['task.ended', 5, 'a'],
    ['server.started', 1, undefined],
  ]);
});

test('a running turn is headed by the question that its agent asked', () => {
  const [turn] = groupTurns([
    event('task.started', 'a'),
    event('approval.requested', 'a'),
    event('activity.changed', 'a'),
  ]);
  expect(turn?.head.type).toBe('approval.requested');
});

test('events after the end of a turn belong to that turn until the next prompt', () => {
  const types = [
    'task.started',
    'task.ended',
    'activity.changed',
    'task.queued',
    'task.started',
    'task.queued',
    'task.ended',
  ];
  const groups = groupTurns(types.map((type) => event(type, 'c')));
  expect(groups.map(({ events }) => events.length)).toEqual([4, 3]);
});

test('jobs of a session are no part of its turns', () => {
  const subject = { kind: 'job', id: 'j' } as const;
  const groups = groupTurns([
    event('task.started', 'd'),
    event('task.ended', 'd', { status: 'completed' }),
    { ...event('job.started', 'd'), subject },
    { ...event('job.failed', 'd', { error: { message: 'no remote' } }), subject },
    event('activity.changed', 'd'),
  ]);
  expect(groups.map(({ head, events }) => [head.type, events.length])).toEqual([
    ['task.ended', 3],
    ['job.failed', 1],
    ['job.started', 1],
  ]);
});

test('updates of worktrees in a row are one group, but a new name is not', () => {
  const groups = groupTurns([
    event('worktree.updated'),
    event('worktree.updated', undefined, { currentSha: 'a' }),
    event('worktree.updated', undefined, { name: 'new' }),
    event('worktree.updated'),
  ]);
  expect(groups.map(({ events }) => events.length)).toEqual([1, 1, 2]);
});
