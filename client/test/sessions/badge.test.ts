import type { Session } from '@agent-console/shared/models/session';
import type { Worker } from '@agent-console/shared/models/worker';
import { describe, expect, test } from 'vitest';
import {
  type BadgeContext,
  badgeOf,
  describeBadge,
  describeEnd,
  isLive,
  mainWorker,
  sessionName,
} from '../../src/features/sessions/badge.ts';
import { agentWorker, session, T, task } from './fixtures.ts';

const done = task({ status: 'completed', outcomeSource: 'report', certain: true, endedAt: T[1] });
const failed = task({ status: 'failed', outcomeSource: 'exit', certain: true, endedAt: T[1] });
const held = { taskId: 't1', reason: 'a person is typing in the terminal', since: T[2] };
const with_ = (worker: Parameters<typeof agentWorker>[0], fields: Partial<Session> = {}) =>
  session({ workers: [agentWorker(worker)], ...fields });

const CASES: readonly [
  what: string,
  given: Session,
  known: BadgeContext,
  glyph: string,
  word: string,
  since: string,
][] = [
  ['an agent at work', with_({ activityState: 'active' }), {}, '◐', 'working', T[1]],
  ['an idle agent', with_({}), {}, '○', 'idle', T[1]],
  ['an agent that asks', with_({ activityState: 'asking' }), {}, '▲', 'asks', T[1]],
  [
    'a task waiting for an answer',
    with_({}, { status: 'awaiting_input', task: task({ status: 'awaiting_input', waitingFor: 'answer' }) }),
    {},
    '▲',
    'asks',
    T[1],
  ],
  [
    'a task awaiting its report',
    with_({}, { status: 'awaiting_input', task: task({ status: 'awaiting_input', waitingFor: 'report' }) }),
    {},
    '○',
    'awaiting report',
    T[1],
  ],
  [
    'a task that waits for the usage limit',
    with_({}, { status: 'awaiting_input', task: task({ status: 'awaiting_input', waitingFor: 'quota' }) }),
    {},
    '○',
    'usage limit',
    T[1],
  ],
  ['a prompt that cannot be typed', with_({}, { held }), {}, '▲', 'blocked', T[2]],
  [
    'a paused session that cannot be resumed yet',
    with_({ state: 'exited' }, { status: 'paused', held }),
    {},
    '▲',
    'blocked',
    T[2],
  ],
  ['a prompt whose agent cannot be started', with_({ state: 'exited' }, { held }), {}, '▲', 'blocked', T[2]],
  ['a used-up budget', with_({}, { overBudgetSince: T[2] }), {}, '▲', 'budget used up', T[2]],
  ['an unread outcome', with_({}, { task: done }), {}, '●', 'done', T[1]],
  ['an outcome after the last one read', with_({}, { task: done }), { readUntil: T[0] }, '●', 'done', T[1]],
  ['a read outcome', with_({}, { task: done }), { readUntil: T[1] }, '○', 'done', T[1]],
  ['a read failure', with_({}, { task: failed }), { readUntil: T[1] }, '⊘', 'failed', T[1]],
  [
    'a read failure, working again',
    with_({ activityState: 'active' }, { task: failed }),
    { readUntil: T[1] },
    '◐',
    'working',
    T[1],
  ],
  [
    'a read failure, paused since',
    with_({}, { task: failed, status: 'paused' }),
    { readUntil: T[1] },
    '⊘',
    'failed',
    T[1],
  ],
  ['an unread outcome, stopped since', with_({}, { task: done, status: 'stopped' }), {}, '–', 'stopped', T[2]],
  ['an unread failure', with_({}, { task: failed }), {}, '⊘', 'failed', T[1]],
  ['an unread outcome, working again', with_({ activityState: 'active' }, { task: done }), {}, '◐', 'working', T[1]],
  ['an unread outcome, paused since', with_({}, { task: done, status: 'paused' }), {}, '●', 'done', T[1]],
  ['a question after the task is done', with_({ activityState: 'asking' }, { task: done }), {}, '▲', 'asks', T[1]],
  [
    'an agent with unknown activity',
    with_({ activityState: 'unknown', confidence: 'guess' }),
    {},
    '◌',
    'unknown',
    T[1],
  ],
  ['a lost agent', with_({ state: 'lost' }), {}, '◌', 'lost', T[1]],
  [
    'an agent that was lost at work',
    with_({ state: 'lost' }, { task: task({ status: 'interrupted', endedAt: T[1] }) }),
    {},
    '◌',
    'lost',
    T[1],
  ],
  ['a starting agent', with_({ state: 'starting', activityState: 'unknown' }), {}, '◐', 'starting', T[0]],
  ['an agent that exited with 0', with_({ state: 'exited', exitCode: 0 }), {}, '–', 'exited', T[1]],
  ['an agent that exited with an error', with_({ state: 'exited', exitCode: 3 }), {}, '⊘', 'exited (3)', T[1]],
  ['an agent that was killed', with_({ state: 'exited', signal: 'SIGKILL' }), {}, '⊘', 'exited (SIGKILL)', T[1]],
  [
    'an agent that could not be started',
    with_({ state: 'exited', warnings: ['The runner is not there'] }),
    {},
    '⊘',
    'not started',
    T[1],
  ],
  ['an agent that was stopped before it began', with_({ state: 'exited' }), {}, '–', 'not started', T[1]],
  ['a session marked as done', with_({}, { status: 'completed' }), {}, '○', 'done', T[2]],
  ['a session without an agent', session({ workers: [] }), {}, '–', 'not started', T[0]],
  [
    'a first prompt being started',
    session({ workers: [], status: 'running', task: task() }),
    {},
    '◐',
    'starting',
    T[0],
  ],
  ['a paused session', with_({ state: 'exited', exitCode: 0 }, { status: 'paused' }), {}, '‖', 'paused', T[2]],
  ['a stopped session', with_({ state: 'exited', signal: 'SIGTERM' }, { status: 'stopped' }), {}, '–', 'stopped', T[2]],
  ['a session marked as failed', with_({ state: 'exited' }, { status: 'failed' }), {}, '⊘', 'failed', T[2]],
];

describe('the badge of a session', () => {
  test.each(CASES)('%s', (_, given, known, glyph, word, since) => {
    expect(badgeOf(given, known)).toMatchObject({ glyph, word, since });
  });

  test('an outcome is unread until the user has read it', () => {
    expect(badgeOf(with_({}, { task: failed })).unread).toBe(true);
    expect(badgeOf(with_({ state: 'exited', exitCode: 1 }, { task: failed }), { readUntil: T[1] }).unread).toBe(false);
    const lost = task({ status: 'interrupted', error: { code: 'RUNNER_UNAVAILABLE', message: '' }, endedAt: T[1] });
    expect(badgeOf(with_({ state: 'lost' }, { task: lost })).unread).toBe(true);
    expect(badgeOf(with_({ state: 'lost' }, { task: lost }), { readUntil: T[1] }).unread).toBe(false);
    expect(badgeOf(with_({}, { task: lost })).unread).toBe(false);
  });

  test.each(CASES)('%s has the same badge for every viewer', (_, given) => {
    const { word, kind, since } = badgeOf(given);
    for (const readUntil of [T[0], T[1], T[2]])
      expect(badgeOf(given, { readUntil })).toMatchObject({ word, kind, since });
  });

  test.each([
    [{ state: 'lost' }, /runner stopped.*unknown/],
    [{ state: 'exited', warnings: ['The runner is not there'] }, /not be started: The runner is not there/],
    [{ state: 'exited' }, /not started$/],
    [{ state: 'exited', exitCode: 3 }, /code 3$/],
    [{ state: 'exited', signal: 'SIGKILL' }, /by SIGKILL$/],
  ] as const)('the end of an agent with %j is described', (fields, words) => {
    expect(
      describeEnd(agentWorker({ ...fields, warnings: [...('warnings' in fields ? fields.warnings : [])] })),
    ).toMatch(words);
  });

  test('the description has age, source and confidence', () => {
    const now = Date.parse(T[1]) + 3 * 60_000;
    expect(describeBadge(badgeOf(with_({})), now)).toBe('idle 3 m · hook, certain');
    const guessed = task({ status: 'completed', outcomeSource: 'title', certain: false, endedAt: T[1] });
    expect(describeBadge(badgeOf(with_({}, { task: guessed })), now)).toBe('done 3 m · title, uncertain');
  });
});

test('the main worker is a live agent, else a live terminal, else the last one', () => {
  const old = agentWorker({ id: 'old', state: 'exited', exitCode: 0 });
  const shell = agentWorker({ id: 'shell', type: 'terminal' });
  const agent = agentWorker({ id: 'agent' });
  const diff = agentWorker({ id: 'diff', type: 'git-diff' });
  expect(mainWorker(session({ workers: [old, agent, shell, diff] }))?.id).toBe('agent');
  expect(mainWorker(session({ workers: [old, shell, diff] }))?.id).toBe('shell');
  expect(mainWorker(session({ workers: [old, { ...shell, state: 'exited' }] }))?.id).toBe('old');
  expect(mainWorker(session({ workers: [diff] }))).toBeUndefined();
});

test('an agent or terminal is live while it starts or runs, and a diff view never', () => {
  const live = (type: Worker['type']) =>
    (['starting', 'running', 'exited', 'lost'] as const).filter((state) => isLive(agentWorker({ type, state })));
  expect(live('agent')).toEqual(['starting', 'running']);
  expect(live('terminal')).toEqual(['starting', 'running']);
  expect(live('git-diff')).toEqual([]);
});

test('the name of a session is its title, else its branch, else its folder', () => {
  expect(sessionName(session({ title: 'Checkout' }))).toBe('Checkout');
  expect(sessionName(session())).toBe('ac/checkout');
  expect(sessionName(session({ title: ' \u00a0 ' }))).toBe('ac/checkout');
  expect(sessionName(session({ gitState: null, cwd: '/work/shop/' }))).toBe('shop');
});
