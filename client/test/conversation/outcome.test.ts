import { describe, expect, it } from 'vitest';
import { authorOf, outcomeOf, previewOf, typedBy, usageOf } from '../../src/features/conversation/outcome.ts';
import { task } from './message.ts';

describe('the outcome of a task', () => {
  it('comes with source and confidence', () => {
    expect(outcomeOf(task('t'))).toMatchObject({ word: 'Done', source: 'reported by the agent, certain' });
    expect(outcomeOf(task('t', { outcomeSource: 'title', certain: false })).source).toBe(
      'read from the terminal title, uncertain',
    );
    const asked = outcomeOf(
      task('t', { status: 'awaiting_input', waitingFor: 'answer', outcomeSource: null, certain: null }),
    );
    expect(asked).toMatchObject({ tone: 'needs', source: '' });
  });

  it('comes with its author', () => {
    expect(authorOf(task('t', { source: { kind: 'session', id: 's2' } }))).toMatchObject({
      name: 'Session',
      sessionId: 's2',
    });
    expect(authorOf(task('t', { source: { kind: 'person', id: 'u1' } }))).toMatchObject({ userId: 'u1' });
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
    expect(typedBy({ role: 'user', source: 'transcript' })).toBe('A person typed in the terminal');
    expect(typedBy({ role: 'system', source: 'transcript' })).toBe('Agent Console');
    expect(typedBy({ role: 'user', source: 'console' })).toBeUndefined();
  });
});
