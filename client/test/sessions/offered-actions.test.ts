import type { Session } from '@agent-console/shared/models/session';
import { describe, expect, test } from 'vitest';
import { actionsOf } from '../../src/features/sessions/page/offered-actions.ts';
import { SESSION_VERBS } from '../../src/shell/palette/session-verbs.ts';
import type { VerbContext } from '../../src/shell/palette/verb-context.ts';
import { agentWorker, gitState, session, T, task } from './fixtures.ts';

const ended = agentWorker({ state: 'exited', exitCode: 0 });

describe('the step of the agent', () => {
  test.each<[what: string, given: Partial<Session>, step: ReturnType<typeof actionsOf>['agent']]>([
    ['runs', {}, 'pause'],
    ['runs in a session that was completed', { status: 'completed' }, undefined],
    ['was never started', { workers: [] }, 'start'],
    ['has exited', { workers: [ended] }, 'resume'],
    ['has exited and cannot resume', { workers: [ended], resumable: false }, 'start'],
    ['is paused', { workers: [ended], status: 'paused' }, 'resume'],
    ['is paused and cannot resume', { workers: [ended], status: 'paused', resumable: false }, 'start'],
    ['was stopped before it began', { workers: [], status: 'stopped' }, 'resume'],
    ['belongs to an archived session', { workers: [ended], archivedAt: T[2] }, undefined],
  ])('if it %s', (_, given, step) => {
    expect(actionsOf(session(given)).agent).toBe(step);
  });
});

test('a task can be cancelled while it is open, and retried after it failed', () => {
  const of = (fields: Parameters<typeof task>[0], more: Partial<Session> = {}) => {
    const { cancellable, retryable } = actionsOf(session({ task: task(fields), ...more }));
    return [cancellable?.id, retryable?.id];
  };
  expect(of({})).toEqual(['t1', undefined]);
  expect(of({ status: 'awaiting_input' })).toEqual(['t1', undefined]);
  expect(of({ status: 'failed' })).toEqual([undefined, 't1']);
  expect(of({ status: 'completed' })).toEqual([undefined, undefined]);
  expect(of({ status: 'failed' }, { archivedAt: T[2] })).toEqual([undefined, undefined]);
});

describe('the verbs of the palette', () => {
  const verbsOf = (given: Partial<Session>, context: Partial<VerbContext> = {}) => {
    const all = { isPinned: false, canFork: true, isMergeUndoable: true, ...context };
    return SESSION_VERBS.filter((verb) => verb.applies(session(given), all)).map(({ id }) => id);
  };

  test('of an archived session', () => {
    const state = gitState('ac/checkout');
    const removed = state === null ? null : { ...state, worktreeState: 'removed' as const };
    expect(verbsOf({ workers: [ended], archivedAt: T[2], gitState: removed }, { canFork: false })).toEqual([
      'like',
      'rename',
      'unarchive',
      'remove',
    ]);
  });

  test('of a session at work, and of one whose task failed', () => {
    const working = verbsOf({ task: task() });
    for (const id of ['merge', 'undo-merge', 'editor', 'pause', 'stop', 'cancel', 'fork', 'pin'])
      expect(working).toContain(id);
    for (const id of ['retry', 'archive', 'resume', 'unpin', 'answer']) expect(working).not.toContain(id);
    expect(verbsOf({ workers: [ended], task: task({ status: 'failed' }) })).toContain('retry');
  });

  test('of a session whose agent cannot fork, and whose work was not merged', () => {
    const verbs = verbsOf({}, { canFork: false, isMergeUndoable: false });
    expect(verbs).toContain('merge');
    for (const id of ['fork', 'undo-merge']) expect(verbs).not.toContain(id);
  });
});
