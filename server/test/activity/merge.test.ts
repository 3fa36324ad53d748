import type { ActivitySource, ActivityState, Confidence } from '@agent-console/shared/models/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createActivityMerger, type Observation } from '../../src/activity/merge.ts';

type Source = Observation['source'];

const say = (
  source: Source,
  state: ActivityState | null,
  at: number,
  confidence: Confidence = 'likely',
): Observation => ({
  source,
  state,
  confidence,
  offset: at,
  at,
});
const starts = (at: number): Observation => ({ ...say('hook', 'active', at, 'certain'), startsTurn: true });
const SECOND = 1_000;

describe("merging the sources of an agent's activity", () => {
  it('prefers the most trusted source', () => {
    const merger = createActivityMerger();
    merger.observe(say('screen', 'idle', 0));
    merger.observe(say('title', 'active', 1));
    expect(merger.observe(say('hook', 'asking', 2, 'certain'))).toEqual({
      state: 'asking',
      confidence: 'certain',
      source: 'hook',
      offset: 2,
      disputed: [],
    });
    expect(merger.observe(say('protocol', 'active', 3, 'certain'))).toMatchObject({
      state: 'active',
      source: 'protocol',
    });
  });

  it('lists contradicting sources, and is less certain meanwhile', () => {
    const merger = createActivityMerger();
    merger.observe(say('hook', 'active', 0, 'certain'));
    expect(merger.observe(say('screen', 'idle', 100))).toMatchObject({
      state: 'active',
      confidence: 'likely',
      source: 'hook',
      disputed: [{ source: 'screen', state: 'idle' }],
    });
    expect(merger.observe(say('screen', 'active', 200))).toMatchObject({ confidence: 'certain', disputed: [] });
  });

  it('reports idle after Escape, although no hook fires', () => {
    const merger = createActivityMerger();
    merger.observe(say('hook', 'active', 0, 'certain'));
    merger.observe(say('screen', 'active', 500));
    merger.observe(say('screen', 'idle', 5 * SECOND));
    const due = merger.dueAt() ?? 0;
    expect(merger.evaluate(due - 1)).toMatchObject({ state: 'active', source: 'hook' });
    expect(merger.evaluate(due)).toMatchObject({
      state: 'idle',
      confidence: 'likely',
      source: 'screen',
      disputed: [{ source: 'hook', state: 'active' }],
    });
    // The screen now shows no state, for example because help hides the input box. The state that it showed last still
    // overrules the hook.
    expect(merger.observe(say('screen', null, 9 * SECOND)).state).toBe('idle');
    expect(merger.observe(say('hook', 'active', 10 * SECOND, 'certain'))).toMatchObject({
      state: 'active',
      disputed: [],
    });
  });

  it('ignores the screen of the previous turn', () => {
    const merger = createActivityMerger();
    merger.observe(say('screen', 'idle', 0));
    merger.observe(say('hook', 'active', 10, 'certain'));
    expect(merger.evaluate(60 * SECOND)).toMatchObject({ state: 'active', confidence: 'certain', disputed: [] });
    merger.observe(say('hook', null, 61 * SECOND));
    expect(merger.evaluate(62 * SECOND).state).toBe('active');
  });

  it('ignores repeated idle titles and screens while a long prompt is being accepted', () => {
    const merger = createActivityMerger();
    merger.observe(say('title', 'idle', 0));
    merger.observe(say('screen', 'idle', 300));
    merger.observe(starts(SECOND));
    for (let at = 1_200; at < 15 * SECOND; at += 700) {
      merger.observe(say('title', 'idle', at));
      expect(merger.observe(say('screen', 'idle', at + 300))).toMatchObject({ state: 'active', source: 'hook' });
    }
    merger.observe(say('title', 'active', 15 * SECOND));
    merger.observe(say('screen', 'active', 15 * SECOND + 300));
    merger.observe(say('title', 'idle', 20 * SECOND));
    expect(merger.evaluate(merger.dueAt() ?? 0)).toMatchObject({ state: 'idle', source: 'title' });
  });

  it('does not count observations of one turn for the next turn', () => {
    const merger = createActivityMerger();
    merger.observe(starts(0));
    merger.observe(say('screen', 'active', 500));
    merger.observe(say('hook', 'idle', 5 * SECOND, 'certain'));
    merger.observe(say('screen', 'idle', 6 * SECOND));
    merger.observe(starts(7 * SECOND));
    merger.observe(say('screen', 'idle', 8 * SECOND));
    expect(merger.evaluate(15 * SECOND)).toMatchObject({ state: 'active', source: 'hook' });
  });

  it.each([
    ['when only the title had shown work', [say('title', 'active', 100), say('title', null, 5_000)]],
    [
      'when the screen had shown work before a tool ended',
      [say('screen', 'active', 500), say('hook', 'active', 4_900, 'certain')],
    ],
    ['when the agent had asked before', [say('screen', 'asking', 500), say('hook', 'active', 4_900, 'certain')]],
  ])('reports idle within seconds after Escape ended a turn, %s', (_, turn) => {
    const merger = createActivityMerger();
    merger.observe(starts(0));
    for (const seen of turn) merger.observe(seen);
    expect(merger.observe(say('screen', 'idle', 5_200)).state).toBe('active');
    expect(merger.evaluate(8 * SECOND)).toMatchObject({ state: 'idle', source: 'screen' });
  });

  it('counts a title that precedes the report of the start of its turn', () => {
    const merger = createActivityMerger();
    merger.observe(say('title', 'active', 0));
    merger.observe(starts(100));
    merger.observe(say('title', 'idle', 3 * SECOND));
    expect(merger.evaluate(5 * SECOND)).toMatchObject({ state: 'idle', source: 'title' });
  });

  it('ends a turn after a while if no source ever showed it', () => {
    const merger = createActivityMerger();
    merger.observe(starts(0));
    merger.observe(say('screen', 'idle', 500));
    expect(merger.evaluate(10 * SECOND).state).toBe('active');
    const due = merger.dueAt() ?? 0;
    expect(merger.evaluate(due - 1).state).toBe('active');
    expect(merger.evaluate(due)).toMatchObject({ state: 'idle', source: 'screen', disputed: [{ source: 'hook' }] });
  });

  it('recognises an answered question by the title, long before the hook that follows the tool', () => {
    const merger = createActivityMerger();
    merger.observe(say('hook', 'asking', 0, 'certain'));
    merger.observe(say('title', 'active', 20 * SECOND));
    expect(merger.evaluate(22 * SECOND)).toMatchObject({ state: 'active', source: 'title' });
  });

  it('recognises a dialog although the title says ready', () => {
    const merger = createActivityMerger();
    merger.observe(say('title', 'idle', 0));
    merger.observe(say('screen', 'asking', 300));
    expect(merger.evaluate(3 * SECOND)).toMatchObject({
      state: 'asking',
      disputed: [{ source: 'title', state: 'idle' }],
    });
  });

  it('never lets a guess overrule another source', () => {
    const merger = createActivityMerger();
    merger.observe(say('title', 'active', 0));
    merger.observe(say('screen', 'asking', 1, 'guess'));
    expect(merger.evaluate(60 * SECOND)).toMatchObject({
      state: 'active',
      confidence: 'likely',
      disputed: [{ source: 'screen', state: 'asking' }],
    });
  });

  it('keeps a correction until a source reports another state, not when it repeats the same', () => {
    const merger = createActivityMerger();
    merger.observe(say('screen', 'active', 0));
    expect(merger.correct('idle', { offset: 5, at: 5 })).toMatchObject({
      state: 'idle',
      confidence: 'certain',
      source: 'person',
    });
    expect(merger.observe(say('screen', 'active', 100))).toMatchObject({
      state: 'idle',
      disputed: [{ source: 'screen', state: 'active' }],
    });
    merger.observe(say('screen', 'idle', 200));
    expect(merger.observe(say('screen', 'active', 300))).toMatchObject({ state: 'active', source: 'screen' });
  });

  it('keeps a correction over a restart', () => {
    const stored = { state: 'idle', confidence: 'certain', source: 'person', offset: 9, at: 0 } as const;
    const merger = createActivityMerger(stored);
    expect(merger.observe(say('screen', 'active', 10))).toMatchObject({ state: 'idle', source: 'person' });
    merger.observe(say('screen', 'asking', 20));
    expect(merger.current).toMatchObject({ state: 'asking', source: 'screen' });
  });

  it('reports an ended process as unknown, whatever its screen shows', () => {
    const merger = createActivityMerger();
    merger.observe(say('screen', 'asking', 0));
    expect(merger.end({ offset: 7, at: 7 })).toMatchObject({ state: 'unknown', source: 'process', disputed: [] });
    expect(merger.observe(say('screen', 'asking', 8))).toMatchObject({ state: 'unknown' });
    expect(merger.dueAt()).toBeNull();
  });

  it('drops unsupported states after a while', () => {
    const merger = createActivityMerger();
    merger.observe(say('title', 'active', 0));
    expect(merger.observe(say('title', null, 10)).state).toBe('active');
    const due = merger.dueAt() ?? 0;
    expect(merger.evaluate(due - 1).state).toBe('active');
    expect(merger.evaluate(due)).toMatchObject({ state: 'unknown', confidence: 'guess' });
  });

  it('expires the state active without updates, but not idle', () => {
    const working = createActivityMerger();
    working.observe(say('screen', 'active', 0));
    expect(working.evaluate(working.dueAt() ?? 0).state).toBe('unknown');
    const resting = createActivityMerger();
    resting.observe(say('screen', 'idle', 0));
    expect(resting.dueAt()).toBeNull();
    expect(resting.evaluate(3_600 * SECOND)).toMatchObject({ state: 'idle', confidence: 'likely' });
  });

  it('is certain only of reports of the agent and of a person', () => {
    const sources: Source[] = ['title', 'screen', 'output'];
    const observation = fc.record({
      source: fc.constantFrom(...sources),
      state: fc.constantFrom('active', 'idle', 'asking', 'unknown', null),
      confidence: fc.constantFrom('likely', 'guess'),
      wait: fc.nat(90_000),
    });
    fc.assert(
      fc.property(fc.array(observation), (observations) => {
        const merger = createActivityMerger();
        let at = 0;
        for (const { wait, ...rest } of observations) {
          at += wait;
          const seen = merger.observe({ ...(rest as Omit<Observation, 'at' | 'offset'>), at, offset: at });
          expect(seen.confidence).not.toBe('certain');
          const said: ActivitySource[] = seen.disputed
            .filter(({ state }) => state === seen.state)
            .map((one) => one.source);
          expect(said).toEqual([]);
          const due = merger.dueAt();
          if (due !== null) expect(due).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
