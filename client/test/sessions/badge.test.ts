import type { Session } from '@agent-console/shared/models/session';
import { expect, describe as group, test } from 'vitest';
import {
  badgeOf,
  describe,
  describeEnd,
  type Known,
  mainWorker,
  sessionName,
} from '../../src/features/sessions/badge.ts';
import { agentWorker, session, T, task } from './fixtures.ts';

const done = task({ status: 'completed', outcomeSource: 'report', certain: true, endedAt: T[1] });
const failed = task({ status: 'failed', outcomeSource: 'exit', certain: true, endedAt: T[1] });
const held = { taskId: 't1', reason: 'waiting for the keyboard', since: T[2] };
const with_ = (worker: Parameters<typeof agentWorker>[0], fields: Partial<Session> = {}) =>
  session({ workers: [agentWorker(worker)], ...fields });

const CASES: readonly [what: string, given: Session, known: Known, glyph: string, word: string, since: string][] = [
  ['an agent at work', with_({ activityState: 'active' }), {}, '◐', 'working', T[1]],
  ['an agent that rests', with_({}), {}, '○', 'idle', T[1]],
  ['an agent that asks', with_({ activityState: 'asking' }), {}, '▲', 'asks', T[1]],
  [
    'a task that waits for an answer',
    with_({}, { status: 'awaiting_input', task: task({ status: 'awaiting_input', waitingFor: 'answer' }) }),
    {},
    '▲',
    'asks',
    T[1],
  ],
  [
    'a task that waits for its report',
    with_({}, { status: 'awaiting_input', task: task({ status: 'awaiting_input', waitingFor: 'report' }) }),
    {},
    '○',
    'to report',
    T[1],
  ],
  ['a prompt that cannot be typed', with_({}), { held }, '▲', 'held up', T[2]],
  ['an end that nobody has seen', with_({}, { task: done }), {}, '●', 'done', T[1]],
  ['an end after the last one that was seen', with_({}, { task: done }), { seen: T[0] }, '●', 'done', T[1]],
  ['an end that was seen', with_({}, { task: done }), { seen: T[1] }, '○', 'done', T[1]],
  ['a failure that was seen', with_({}, { task: failed }), { seen: T[1] }, '⊘', 'failed', T[1]],
  [
    'a seen failure of one that works again',
    with_({ activityState: 'active' }, { task: failed }),
    { seen: T[1] },
    '◐',
    'working',
    T[1],
  ],
  [
    'a seen failure of one that was paused since',
    with_({}, { task: failed, status: 'paused' }),
    { seen: T[1] },
    '⊘',
    'failed',
    T[1],
  ],
  [
    'an unseen end of one that was stopped since',
    with_({}, { task: done, status: 'stopped' }),
    {},
    '–',
    'stopped',
    T[2],
  ],
  ['a failure that nobody has seen', with_({}, { task: failed }), {}, '⊘', 'failed', T[1]],
  [
    'an unseen end of one that works again',
    with_({ activityState: 'active' }, { task: done }),
    {},
    '◐',
    'working',
    T[1],
  ],
  ['an unseen end of one that was paused since', with_({}, { task: done, status: 'paused' }), {}, '●', 'done', T[1]],
  ['a question of one that is done', with_({ activityState: 'asking' }, { task: done }), {}, '▲', 'asks', T[1]],
  ['an agent nobody can read', with_({ activityState: 'unknown', confidence: 'guess' }), {}, '◌', 'unknown', T[1]],
  ['an agent that was lost', with_({ state: 'lost' }), {}, '◌', 'lost', T[1]],
  ['an agent on its way', with_({ state: 'starting', activityState: 'unknown' }), {}, '◐', 'starting', T[0]],
  ['an agent that ended well', with_({ state: 'exited', exitCode: 0 }), {}, '–', 'ended', T[1]],
  ['an agent that ended badly', with_({ state: 'exited', exitCode: 3 }), {}, '⊘', 'ended (3)', T[1]],
  ['an agent that was killed', with_({ state: 'exited', signal: 'SIGKILL' }), {}, '⊘', 'ended (SIGKILL)', T[1]],
  [
    'an agent that could not be started',
    with_({ state: 'exited', warnings: ['The runner is not there'] }),
    {},
    '⊘',
    'not started',
    T[1],
  ],
  ['an agent that was stopped before it began', with_({ state: 'exited' }), {}, '–', 'not started', T[1]],
  ['a session called done', with_({}, { status: 'completed' }), {}, '○', 'done', T[2]],
  ['a session without an agent', session({ workers: [] }), {}, '–', 'not started', T[0]],
  ['a first prompt under way', session({ workers: [], status: 'running', task: task() }), {}, '◐', 'starting', T[0]],
  ['a paused session', with_({ state: 'exited', exitCode: 0 }, { status: 'paused' }), {}, '❙❙', 'paused', T[2]],
  ['a stopped session', with_({ state: 'exited', signal: 'SIGTERM' }, { status: 'stopped' }), {}, '–', 'stopped', T[2]],
  ['a session marked as failed', with_({ state: 'exited' }, { status: 'failed' }), {}, '⊘', 'failed', T[2]],
];

group('how a session stands', () => {
  test.each(CASES)('%s', (_, given, known, glyph, word, since) => {
    expect(badgeOf(given, known)).toMatchObject({ glyph, word, since });
  });

  test('only what is unread calls for attention by its end', () => {
    expect(badgeOf(with_({}, { task: failed })).unread).toBe(true);
    expect(badgeOf(with_({ state: 'exited', exitCode: 1 }, { task: failed }), { seen: T[1] }).unread).toBe(false);
  });

  test.each(CASES)('%s is called so by everybody, whatever they have seen', (_, given, { held }) => {
    const { word, kind, since } = badgeOf(given, { held });
    for (const seen of [T[0], T[1], T[2]]) expect(badgeOf(given, { held, seen })).toMatchObject({ word, kind, since });
  });

  test.each([
    [{ state: 'lost' }, /runner is gone.*not known/],
    [{ state: 'exited', warnings: ['The runner is not there'] }, /not started: The runner is not there/],
    [{ state: 'exited' }, /not started$/],
    [{ state: 'exited', exitCode: 3 }, /code 3$/],
    [{ state: 'exited', signal: 'SIGKILL' }, /by SIGKILL$/],
  ] as const)('an agent that %j is told how it ended', (fields, words) => {
    expect(
      describeEnd(agentWorker({ ...fields, warnings: [...('warnings' in fields ? fields.warnings : [])] })),
    ).toMatch(words);
  });

  test('source and confidence are told with the age', () => {
    const now = Date.parse(T[1]) + 3 * 60_000;
    expect(describe(badgeOf(with_({})), now)).toBe('idle 3 m · hook, certain');
    const guessed = task({ status: 'completed', outcomeSource: 'title', certain: false, endedAt: T[1] });
    expect(describe(badgeOf(with_({}, { task: guessed })), now)).toBe('done 3 m · title, not certain');
  });
});

test('a living agent is shown before a living terminal, and what ended last when nothing lives', () => {
  const old = agentWorker({ id: 'old', state: 'exited', exitCode: 0 });
  const shell = agentWorker({ id: 'shell', type: 'terminal' });
  const agent = agentWorker({ id: 'agent' });
  const diff = agentWorker({ id: 'diff', type: 'git-diff' });
  expect(mainWorker(session({ workers: [old, agent, shell, diff] }))?.id).toBe('agent');
  expect(mainWorker(session({ workers: [old, shell, diff] }))?.id).toBe('shell');
  expect(mainWorker(session({ workers: [old, { ...shell, state: 'exited' }] }))?.id).toBe('old');
  expect(mainWorker(session({ workers: [diff] }))).toBeUndefined();
});

test('a session is called by its title, else its branch, else its folder', () => {
  expect(sessionName(session({ title: 'Checkout' }))).toBe('Checkout');
  expect(sessionName(session())).toBe('ac/checkout');
  expect(sessionName(session({ title: ' \u00a0 ' }))).toBe('ac/checkout');
  expect(sessionName(session({ gitState: null, cwd: '/work/shop/' }))).toBe('shop');
});
