import { type ConsoleEvent, EVENT_TYPES } from '@agent-console/shared/models/event';
import { describe, expect, it } from 'vitest';
import {
  describeEvent,
  EVENT_GROUPS,
  eventFacts,
  eventGroup,
  eventTone,
} from '../../src/features/events/describe-event.ts';

const said = (type: ConsoleEvent['type'], data: ConsoleEvent['data'] = {}) => describeEvent({ type, data });

describe('events in words', () => {
  it.each(EVENT_TYPES)('%s has a sentence even where it says nothing more', (type) => {
    const sentence = said(type);
    expect(sentence).toMatch(/^[A-Z]/);
    expect(sentence).not.toMatch(/undefined|null|\[object|\s$|:$/);
    expect(EVENT_GROUPS).toContain(eventGroup({ type }));
  });

  it.each<[ConsoleEvent['type'], ConsoleEvent['data'], string]>([
    [
      'task.ended',
      { status: 'failed', outcomeSource: 'report', certain: true },
      'The prompt failed (known from report, certain)',
    ],
    ['task.ended', { status: 'completed', kind: 'notice' }, 'Telling the notices is done'],
    ['worker.exited', { workerType: 'agent', exitCode: 3, signal: null }, 'The agent ended with exit code 3'],
    ['worker.exited', { workerType: 'terminal', exitCode: null, signal: 'SIGKILL' }, 'A terminal ended by SIGKILL'],
    ['activity.changed', { activityState: 'asking' }, 'The agent is asking something'],
    ['activity.changed', { activityState: 'brand new' }, 'The agent is doing something unknown'],
    ['input.blocked', { blocked: 'waiting for the keyboard' }, 'The prompt is held: waiting for the keyboard'],
    ['input.blocked', { blocked: null }, 'Nothing holds the prompt any more'],
    ['worktree.failed', { error: { message: 'No space' } }, 'The worktree could not be made: No space'],
    ['delegation.advanced', { state: 'starting_agent' }, 'The delegation starts the agent'],
    [
      'session.updated',
      {
        permission: {
          before: { mode: 'auto', ceiling: 'auto' },
          after: { mode: 'ask', ceiling: 'ask' },
          loweredBy: 'a-session',
        },
      },
      'Its permission mode is ask instead of auto, its permission ceiling is ask instead of auto, lowered with the session it came from',
    ],
    ['notice.created', { kind: 'ended', status: 'completed' }, 'A notice came: another session’s work is done'],
  ])('%s %j', (type, data, sentence) => {
    expect(said(type, data)).toBe(sentence);
  });

  it('cannot be turned round by what others wrote', () => {
    expect(said('approval.requested', { text: 'echo \u202efr- mr' })).toBe('The agent asks: echo ‹U+202E›fr- mr');
    expect(said('session.updated', { title: 'דף' })).toBe('The session is called “\u2068דף\u2069”');
    expect(said('worktree.failed', { error: { message: 'a\u2066b' } })).toBe(
      'The worktree could not be made: a‹U+2066›b',
    );
  });

  it('say a type that a newer console knows by its name', () => {
    expect(describeEvent({ type: 'future.happened' as ConsoleEvent['type'], data: {} })).toBe('future.happened');
  });

  it('stand out where something failed or is needed', () => {
    expect(eventTone({ type: 'task.ended', data: { status: 'failed' } })).toBe('failed');
    expect(eventTone({ type: 'task.waiting', data: { waitingFor: 'answer' } })).toBe('needs');
    expect(eventTone({ type: 'task.waiting', data: { waitingFor: 'report' } })).toBe('plain');
  });

  it('tell their facts as text and leave out empty ones', () => {
    const facts = eventFacts({
      seq: 7,
      at: '2026-01-01T00:00:00.000Z',
      type: 'worker.exited',
      subject: { kind: 'worker', id: 'w' },
      actor: 'system',
      data: { exitCode: 0, signal: null, error: { code: 'X' } },
    });
    expect(Object.fromEntries(facts.map(({ name, value }) => [name, value]))).toEqual({
      event: '7',
      type: 'worker.exited',
      worker: 'w',
      actor: 'system',
      exitCode: '0',
      error: '{"code":"X"}',
    });
  });
});
