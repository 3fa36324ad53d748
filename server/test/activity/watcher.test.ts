import { describe, expect, it } from 'vitest';
import { createActivityWatchers } from '../../src/activity/watcher.ts';
import { createAgentKinds } from '../../src/agents/kinds.ts';

const watch = createActivityWatchers(
  createAgentKinds({ scriptedAgent: '/programs/scripted-agent.js', cli: '/programs/cli.js' }),
);
const busy = Buffer.from('\x1b]9;4;3;\x07');

describe('watching an agent over restarts', () => {
  it('continues in the middle of a sequence without loss or repetition', () => {
    const first = watch('scripted', { offset: 10, state: 'idle', confidence: 'likely' });
    expect(first.push(10, Buffer.from('text\x1b]9;4'))).toEqual([]);
    expect(first.safeOffset()).toBe(14);
    const second = watch('scripted', { offset: first.safeOffset(), state: 'idle', confidence: 'likely' });
    const seen = second.push(14, busy);
    expect(seen).toEqual([{ state: 'active', confidence: 'likely', source: 'title', offset: 23 }]);
    const third = watch('scripted', { offset: 14, state: 'active', confidence: 'likely' });
    expect(third.push(14, busy)).toEqual([]);
  });

  it('does not join output before and after a gap', () => {
    const watcher = watch('scripted', { offset: 0, state: 'idle', confidence: 'likely' });
    watcher.push(0, Buffer.from('\x1b]9;4;'));
    expect(watcher.push(1_000, Buffer.from('3;\x07'))).toEqual([]);
    expect(watcher.push(1_003, busy)).toEqual([
      { state: 'active', confidence: 'likely', source: 'title', offset: 1_012 },
    ]);
  });
});
