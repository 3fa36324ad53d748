import { OrchestrationState } from '@agent-console/shared/models/orchestration';
import { describe, expect, it } from 'vitest';
import { type Decision, schedule } from '../../../src/domain/orchestration/schedule.ts';
import { agents, orchestration } from './support.ts';

const NOTHING: Decision = { start: [], skip: [], cancel: [], waiting: [], end: null };
const DIAMOND = 'a pending\nb pending <- a\nc pending <- a\nd pending <- b c';

describe('an orchestration that is not running', () => {
  it.each(OrchestrationState.options.filter((state) => state !== 'running'))('does nothing when %s', (state) => {
    expect(schedule(orchestration('parallel', { state }), agents('a pending\nb failed'))).toEqual(NOTHING);
    expect(schedule(orchestration('parallel', { state }), [])).toEqual(NOTHING);
  });
});

describe('an orchestration without agents', () => {
  it('has completed', () => {
    expect(schedule(orchestration('adaptive'), [])).toEqual({
      ...NOTHING,
      end: { state: 'completed', errorMessage: null },
    });
  });
});

describe('parallel', () => {
  it('starts all agents in creation order', () => {
    expect(schedule(orchestration('parallel'), agents('c pending\na pending\nb pending')).start).toEqual([
      'c',
      'a',
      'b',
    ]);
  });
  it('continues after a failure', () => {
    expect(schedule(orchestration('parallel'), agents('a failed\nb pending'))).toEqual({ ...NOTHING, start: ['b'] });
  });
});

describe('sequential', () => {
  it('starts one agent, and says why the others wait', () => {
    const reason = 'another agent is running, and the strategy sequential runs one agent at a time';
    expect(schedule(orchestration('sequential'), agents('a pending\nb pending\nc pending'))).toEqual({
      ...NOTHING,
      start: ['a'],
      waiting: [
        { agentId: 'b', reason },
        { agentId: 'c', reason },
      ],
    });
  });
  it.each(['running', 'paused', 'interrupted'])('starts none while one is %s', (state) => {
    expect(schedule(orchestration('sequential'), agents(`a ${state}\nb pending`)).start).toEqual([]);
  });
  it('continues after a failure with agents that do not depend on it', () => {
    const all = agents('a failed\nb pending <- a\nc pending');
    expect(schedule(orchestration('sequential'), all)).toEqual({
      ...NOTHING,
      start: ['c'],
      skip: [{ agentId: 'b', reason: 'upstream_failed' }],
    });
  });
  it('starts the first agent whose dependencies have completed', () => {
    expect(schedule(orchestration('sequential'), agents('a pending <- b\nb pending')).start).toEqual(['b']);
  });
  it('ignores a larger maxConcurrent', () => {
    const { start } = schedule(orchestration('sequential', { maxConcurrent: 5 }), agents('a pending\nb pending'));
    expect(start).toEqual(['a']);
  });
});

describe('adaptive', () => {
  it.each([
    [['a'], DIAMOND],
    [[], DIAMOND.replace('a pending', 'a running')],
    [['b', 'c'], DIAMOND.replace('a pending', 'a completed')],
    [[], 'a completed\nb completed <- a\nc running <- a\nd pending <- b c'],
    [['d'], 'a completed\nb completed <- a\nc completed <- a\nd pending <- b c'],
  ])('starts %j of a diamond', (start, lines) => {
    expect(schedule(orchestration('adaptive'), agents(lines))).toEqual({ ...NOTHING, start });
  });
  it('skips all agents that depend on a failed one, and no others', () => {
    const lines = 'a failed\nb pending <- a\nc pending <- b\nd pending <- c x\nx running\ny pending <- x';
    expect(schedule(orchestration('adaptive'), agents(lines)).skip).toEqual([
      { agentId: 'b', reason: 'upstream_failed' },
      { agentId: 'c', reason: 'upstream_failed' },
      { agentId: 'd', reason: 'upstream_failed' },
    ]);
  });
  it('skips agents that depend on a cancelled one, unless they also depend on a failed one', () => {
    const lines = 'a cancelled\nf failed\nb pending <- a\nc pending <- a f\nd pending <- b';
    expect(schedule(orchestration('adaptive'), agents(lines)).skip).toEqual([
      { agentId: 'b', reason: 'upstream_cancelled' },
      { agentId: 'c', reason: 'upstream_failed' },
      { agentId: 'd', reason: 'upstream_cancelled' },
    ]);
  });
  it('skips agents that depend on a skipped one for the same reason', () => {
    const all = agents('a skipped\nb skipped\nc pending <- a\nd pending <- b', {
      a: { reason: 'upstream_cancelled', allowFailure: true },
      b: { reason: 'fail_fast' },
    });
    expect(schedule(orchestration('adaptive'), all).skip).toEqual([
      { agentId: 'c', reason: 'upstream_cancelled' },
      { agentId: 'd', reason: 'upstream_failed' },
    ]);
  });
  it.each(['completed', 'failed!', 'cancelled!'])('starts an agent that depends on one that is %s', (state) => {
    expect(schedule(orchestration('adaptive'), agents(`a ${state}\nb pending <- a`)).start).toEqual(['b']);
  });
  it('counts a dependency outside the list as completed', () => {
    expect(schedule(orchestration('adaptive'), agents('b pending <- a')).start).toEqual(['b']);
  });
});

describe('pipeline', () => {
  it('starts a stage when all agents of earlier stages have ended', () => {
    const lines = 'a completed @0\nb STATE @0\nc pending @1\nd pending @2';
    const startAfter = (state: string) =>
      schedule(orchestration('pipeline'), agents(lines.replace('STATE', state))).start;
    expect(startAfter('running')).toEqual([]);
    expect(startAfter('interrupted')).toEqual([]);
    expect(startAfter('pending')).toEqual(['b']);
    expect(startAfter('failed!')).toEqual(['c']);
    expect(startAfter('completed')).toEqual(['c']);
  });
  it('skips later stages after a failure, but continues the stage of the failed agent', () => {
    expect(
      schedule(orchestration('pipeline'), agents('a failed @1\nb pending @1\nc pending @2\nd pending @7')),
    ).toEqual({
      ...NOTHING,
      start: ['b'],
      skip: [
        { agentId: 'c', reason: 'upstream_failed' },
        { agentId: 'd', reason: 'upstream_failed' },
      ],
    });
  });
  it('skips later stages after a cancelled agent', () => {
    const { skip } = schedule(orchestration('pipeline'), agents('a cancelled @0\nb pending @1'));
    expect(skip).toEqual([{ agentId: 'b', reason: 'upstream_cancelled' }]);
  });
  it('respects dependencies within a stage', () => {
    expect(schedule(orchestration('pipeline'), agents('a pending @1\nb pending @1 <- a')).start).toEqual(['a']);
  });
  it('runs an agent that was added to an earlier stage', () => {
    expect(schedule(orchestration('pipeline'), agents('a running @1\nb pending @1\nc pending @0')).start).toEqual([
      'c',
    ]);
  });
});

describe('limits', () => {
  it('keep agents waiting beyond maxConcurrent', () => {
    const all = agents('a running\nb pending\nc pending\nd pending');
    expect(schedule(orchestration('parallel', { maxConcurrent: 2 }), all)).toEqual({
      ...NOTHING,
      start: ['b'],
      waiting: [
        { agentId: 'c', reason: '2 agents already run (limit maxConcurrent)' },
        { agentId: 'd', reason: '2 agents already run (limit maxConcurrent)' },
      ],
    });
  });
  it('count paused and interrupted agents', () => {
    const all = agents('a paused\nb interrupted\nc pending');
    expect(schedule(orchestration('parallel', { maxConcurrent: 2 }), all).start).toEqual([]);
  });
  it('apply to a role, and let other roles pass', () => {
    const all = agents('a pending\nb pending\nc pending', { c: { role: 'tester' } });
    expect(schedule(orchestration('parallel', { roleLimits: { worker: 1 } }), all)).toEqual({
      ...NOTHING,
      start: ['a', 'c'],
      waiting: [{ agentId: 'b', reason: 'another agent of the role worker already runs (limit roleLimits)' }],
    });
  });
  it('give an agent the same reason to wait before and after the others have started', () => {
    const limits = orchestration('parallel', { maxConcurrent: 2, roleLimits: { worker: 1 } });
    const all = agents('a pending\nb pending\nc pending', { c: { role: 'tester' } });
    const { waiting, start } = schedule(limits, all);
    expect(start).toEqual(['a', 'c']);
    const started = all.map((agent) => ({
      ...agent,
      state: agent.agentId === 'b' ? agent.state : ('running' as const),
    }));
    expect(schedule(limits, started).waiting).toEqual(waiting);
  });
  it('do not mistake the name of a role for a property of objects', () => {
    expect(schedule(orchestration('parallel'), agents('a pending', { a: { role: 'constructor' } })).start).toEqual([
      'a',
    ]);
  });
});

describe('fail_fast', () => {
  const failFast = orchestration('adaptive', { onFailure: 'fail_fast' });
  it('ends the run at the first failure', () => {
    const lines = 'a failed\nb pending <- a\nc pending\nd running\ne interrupted\nf paused\ng completed';
    expect(schedule(failFast, agents(lines))).toEqual({
      ...NOTHING,
      skip: [
        { agentId: 'b', reason: 'upstream_failed' },
        { agentId: 'c', reason: 'fail_fast' },
      ],
      cancel: ['d', 'e', 'f'],
      end: { state: 'failed', errorMessage: 'Failed: a. Skipped: b, c. Cancelled: d, e, f.' },
    });
  });
  it.each(['failed!', 'cancelled'])('does not apply to an agent that is %s', (state) => {
    expect(schedule(failFast, agents(`a ${state}\nb running\nc pending`))).toEqual({ ...NOTHING, start: ['c'] });
  });
});

describe('the end', () => {
  it.each([
    ['completed', null, 'a completed\nb completed <- a'],
    ['completed', null, 'a failed!\nb completed <- a'],
    ['completed', null, 'a cancelled!\nb completed'],
    ['failed', 'Failed: a.', 'a failed\nb completed'],
    ['failed', 'Failed: a. Skipped: b.', 'a failed\nb pending <- a'],
    ['failed', 'Cancelled: a.', 'a cancelled\nb completed'],
    ['failed', 'Skipped: a.', 'a skipped'],
  ])('is %s (%s)', (state, errorMessage, lines) => {
    expect(schedule(orchestration('adaptive'), agents(lines)).end).toEqual({ state, errorMessage });
  });
  it.each(['pending', 'running', 'paused', 'interrupted'])('is not reached while an agent is %s', (state) => {
    expect(schedule(orchestration('adaptive'), agents(`a failed\nb ${state}`)).end).toBeNull();
  });
  it('names ten agents of each kind', () => {
    const lines = Array.from({ length: 12 }, (_, at) => `a${at} failed`).join('\n');
    expect(schedule(orchestration('parallel'), agents(lines)).end?.errorMessage).toBe(
      'Failed: a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more.',
    );
  });
});
