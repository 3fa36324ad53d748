import type { Message } from '@agent-console/shared/models/message';
import type { Task } from '@agent-console/shared/models/task';
import { formatNoticeBlock } from '@agent-console/shared/notice-block';
import { describe, expect, it } from 'vitest';
import {
  authorOf,
  outcomeOf,
  previewOf,
  singleLine,
  textOf,
  turnsOf,
  typedBy,
  usageOf,
} from '../../src/features/conversation/turns.ts';

const AT = '2026-01-01T00:00:00.000Z';

function message(seq: number, taskId: string | null, text: string, more: Partial<Message> = {}): Message {
  return {
    id: `m${seq}`,
    sessionId: 's',
    taskId,
    seq,
    role: 'user',
    kind: 'text',
    parts: [{ type: 'text', text }],
    source: 'console',
    logOffset: null,
    revision: seq,
    createdAt: AT,
    ...more,
  };
}

function task(id: string, more: Partial<Task> = {}): Task {
  return {
    id,
    sessionId: 's',
    kind: 'prompt',
    prompt: '',
    status: 'completed',
    waitingFor: null,
    outcomeSource: 'report',
    certain: true,
    progress: null,
    source: { kind: 'person', id: 'u' },
    queuePosition: null,
    blocked: null,
    summary: null,
    artifacts: [],
    error: null,
    usage: null,
    version: 1,
    createdAt: AT,
    startedAt: AT,
    endedAt: AT,
    ...more,
  };
}

describe('a conversation', () => {
  it('is grouped by task, in order', () => {
    const messages = [
      message(1, 't1', 'do it'),
      message(2, 't1', 'did it', { role: 'agent' }),
      message(3, null, 'hello', { role: 'agent' }),
      message(4, 't2', 'more'),
    ];
    const turns = turnsOf(messages, [task('t1', { summary: 'did it' }), task('t2')]);
    expect(turns.map((turn) => turn.entries.map(({ kind, text }) => `${kind}: ${text}`))).toEqual([
      ['prompt: do it', 'report: did it'],
      ['text: hello'],
      ['prompt: more'],
    ]);
    expect(turns.map((turn) => turn.task?.id)).toEqual(['t1', undefined, 't2']);
  });

  it('shows the outcome of a task once, at its last turn', () => {
    const messages = [message(1, 't1', 'a'), message(2, 't2', 'b'), message(3, 't1', 'c', { role: 'agent' })];
    const turns = turnsOf(messages, [task('t1'), task('t2')]);
    expect(turns.map((turn) => turn.task?.id)).toEqual([undefined, 't2', 't1']);
  });

  it('parses a block of notices, and leaves other text as it is', () => {
    const block = formatNoticeBlock([
      {
        kind: 'ended',
        about: { sessionId: '01a200ff-af06-7c26', title: 'fix tests' },
        status: 'failed',
        outcomeSource: 'report',
        certain: true,
        summary: 'It\ndid not work.',
      },
    ]);
    const [turn] = turnsOf([message(1, 't', block, { role: 'system', kind: 'notice' })], []);
    expect(turn?.entries[0]).toMatchObject({
      kind: 'notices',
      items: [{ title: 'fix tests', status: 'failed', summary: 'It\ndid not work.' }],
    });
    const [other] = turnsOf([message(1, 't', `${block}\nand more`, { role: 'system', kind: 'notice' })], []);
    expect(other?.entries[0]?.kind).toBe('prompt');
    // The same block typed by a person is a prompt.
    const [typed] = turnsOf([message(1, 't', block)], []);
    expect(typed?.entries[0]?.kind).toBe('prompt');
  });

  it('labels actions of the agent', () => {
    const [turn] = turnsOf([message(1, 't', 'ls', { role: 'agent', kind: 'toolCall' })], []);
    expect(turn?.entries[0]).toMatchObject({ kind: 'action', label: 'Tool call', text: 'ls' });
  });

  it('shows parts without text as JSON', () => {
    expect(textOf({ parts: [{ type: 'text', text: 'a' }, { type: 'x', size: 3 }, { type: 'y' }] })).toBe(
      'a\n{"size":3}',
    );
  });
});

describe('the outcome of a task', () => {
  it('comes with source and confidence', () => {
    expect(outcomeOf(task('t'))).toMatchObject({ word: 'Done', source: 'known from report, certain' });
    expect(outcomeOf(task('t', { outcomeSource: 'title', certain: false })).source).toBe(
      'known from terminal title, uncertain',
    );
    const asked = outcomeOf(
      task('t', { status: 'awaiting_input', waitingFor: 'answer', outcomeSource: null, certain: null }),
    );
    expect(asked).toMatchObject({ tone: 'needs', source: '' });
  });

  it('comes with its author', () => {
    expect(authorOf(task('t', { source: { kind: 'session', id: 's2' } }))).toEqual({
      name: 'Session',
      sessionId: 's2',
    });
    expect(authorOf(task('t'))).toEqual({ name: 'You', sessionId: undefined });
  });
});

describe('a long text', () => {
  it('is previewed, cut between lines and never within a character', () => {
    expect(previewOf('short')).toBeUndefined();
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
    expect(previewOf(lines)?.split('\n')).toHaveLength(24);
    const emoji = previewOf(`x${'😀'.repeat(3_000)}`) ?? '';
    expect(emoji.length).toBeGreaterThan(1_000);
    expect(encodeURIComponent(emoji)).toContain('%F0%9F%98%80');
  });
});

describe('token usage', () => {
  const used = {
    inputTokens: 1_234,
    outputTokens: 56,
    cacheReadTokens: 0,
    costUsd: null,
    source: 'transcript',
  } as const;
  it('fits one line, without unknown values', () => {
    expect(usageOf(task('t', { usage: null }))).toBeUndefined();
    expect(usageOf(task('t', { usage: used }))).toBe('1,234 input tokens · 56 output tokens');
    expect(usageOf(task('t', { usage: { ...used, cacheReadTokens: 7_000, costUsd: 0.0032 } }))).toBe(
      '1,234 input tokens · 56 output tokens · 7,000 tokens read from cache · $0.0032',
    );
  });
});

describe('the sender of a message', () => {
  it('is a person, the console, or the author of the task', () => {
    expect(typedBy({ role: 'user', source: 'transcript' })).toBe('Typed in the terminal');
    expect(typedBy({ role: 'system', source: 'transcript' })).toBe('Agent Console');
    expect(typedBy({ role: 'user', source: 'console' })).toBeUndefined();
  });
});

it('an action is collapsed to one line, however long it is', () => {
  expect(singleLine('Bash({\n  "command": "ls"\n})')).toBe('Bash({ "command": "ls" })');
  expect(singleLine('x'.repeat(5_000)).length).toBeLessThan(5_000);
});
