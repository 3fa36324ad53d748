import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOscScanner } from '../../src/activity/osc-scanner.ts';
import { createActivityReader } from '../../src/activity/reader.ts';
import { createAgentKinds } from '../../src/agents/kinds.ts';

const kinds = createAgentKinds({ scriptedAgent: '/programs/scripted-agent.js', cli: '/programs/cli.js' });
const scripted = kinds('scripted');
const custom = kinds('custom');

const progress = (state: number) => `\x1b]9;4;${state};\x07`;
const title = (word: string) => `\x1b]0;scripted: ${word}\x07`;
const working = progress(3) + title('working');
const idle = progress(0) + title('idle');
const asking = progress(4) + title('asking');

const states = (kind: typeof scripted, ...chunks: string[]) => {
  const scanner = createOscScanner();
  const reader = createActivityReader(kind);
  return chunks.flatMap((chunk) => reader.read(scanner.push(Buffer.from(chunk)))).map((one) => one.state);
};

describe('activity from titles and progress', () => {
  it('follows a scripted turn with its question, however its sequences arrive', () => {
    const turn = `banner${idle}${working}text${asking}${working}${idle}> `;
    const expected = ['idle', 'active', 'asking', 'active', 'idle'];
    expect(states(scripted, turn)).toEqual(expected);
    fc.assert(
      fc.property(fc.array(fc.nat(turn.length), { maxLength: 12 }), (host) => {
        const ends = [0, ...host.sort((a, b) => a - b), turn.length];
        const chunks = ends.slice(1).map((end, index) => turn.slice(ends[index], end));
        expect(states(scripted, ...chunks)).toEqual(expected);
      }),
    );
  });

  it('reports the offset after the signal, its source and confidence', () => {
    const reader = createActivityReader(scripted);
    const events = createOscScanner({ offset: 100 }).push(Buffer.from(`ab${working}${idle}`));
    expect(reader.read(events)).toEqual([
      { state: 'active', confidence: 'likely', source: 'title', offset: 111 },
      { state: 'idle', confidence: 'likely', source: 'title', offset: 111 + title('working').length + 9 },
    ]);
    expect(reader.current).toEqual({ state: 'idle', confidence: 'likely' });
  });

  it.each([
    [0, { state: 'idle', confidence: 'likely' }],
    [1, { state: 'active', confidence: 'likely' }],
    [2, { state: 'unknown', confidence: 'guess' }],
    [3, { state: 'active', confidence: 'likely' }],
    [4, { state: 'asking', confidence: 'guess' }],
  ])('reads progress %i of an unknown program as %j', (state, reading) => {
    const reader = createActivityReader(custom);
    reader.read(createOscScanner().push(Buffer.from(progress(state))));
    expect(reader.current).toEqual(reading);
  });

  it('ignores bells, notifications and titles of an unknown program', () => {
    expect(states(custom, `\x07\x1b]9;done\x07${title('working')}\x1b]0;idle\x07`)).toEqual([]);
  });

  it('ignores titles that are not of the kind of the agent', () => {
    expect(states(scripted, `${idle}\x1b]0;constructor\x07\x1b]0;scripted: resting\x07`)).toEqual(['idle']);
  });

  it('reports unknown when title and progress contradict each other', () => {
    expect(states(scripted, idle, progress(3) + title('idle'))).toEqual(['idle', 'unknown']);
    expect(states(scripted, idle, title('working') + progress(0))).toEqual(['idle', 'unknown']);
    expect(states(scripted, idle, progress(3) + title('idle'), working)).toEqual(['idle', 'unknown', 'active']);
  });

  it('prefers the newest signal when the other one is older', () => {
    expect(states(scripted, working, progress(0))).toEqual(['active', 'idle']);
    expect(states(scripted, idle, progress(3), title('idle'))).toEqual(['idle', 'active', 'idle']);
  });

  it('reports nothing twice after a restart', () => {
    const reader = createActivityReader({ ...scripted, initial: { state: 'idle', confidence: 'likely' } });
    const scanner = createOscScanner();
    expect(reader.read(scanner.push(Buffer.from(idle)))).toEqual([]);
    expect(reader.read(scanner.push(Buffer.from(working)))).toHaveLength(1);
  });
});
