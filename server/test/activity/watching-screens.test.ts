import { describe, expect, it } from 'vitest';
import { createActivityWatchers } from '../../src/activity/watcher.ts';
import type { WatchedKind } from '../../src/ports/agents.ts';

/** An agent whose screen shows its state as one word, and whose title shows only that the agent is working. */
const kind: WatchedKind = {
  readTitle: (title) => (title === 'working' ? { state: 'active', confidence: 'likely' } : null),
  readScreen({ lines: [word, text = ''] }) {
    if (word === 'idle' || word === 'active') return { state: word, confidence: 'likely', question: null };
    if (word === 'asking') return { state: word, confidence: 'likely', question: { text, options: [] } };
    return null;
  },
};

function setUp() {
  let now = 0;
  const watchers = createActivityWatchers(
    () => kind,
    () => now,
  );
  const watcher = watchers('custom', { offset: 0, state: 'unknown', confidence: 'guess' });
  let offset = 0;
  return {
    watcher,
    wait(ms: number) {
      now += ms;
    },
    title(title: string) {
      const data = Buffer.from(`\x1b]0;${title}\x07`);
      offset += data.length;
      return watcher.push(offset - data.length, data).map(({ state }) => state);
    },
    shows(lines: string[], settled: boolean) {
      const picture = { lines, title: null, alternateScreen: true, offset, settled };
      return watcher.screen(picture).map(({ state, source }) => `${state} by ${source}`);
    },
  };
}

describe("an agent's screen", () => {
  it('counts when it has settled', () => {
    const { shows } = setUp();
    expect(shows(['idle'], false)).toEqual([]);
    expect(shows(['idle'], true)).toEqual(['idle by screen']);
  });

  it('counts without settling when its reading repeats', () => {
    const { shows, wait } = setUp();
    shows(['active'], true);
    const seen: string[] = [];
    for (const word of ['idle', 'active', 'idle', 'active', 'idle', 'idle', 'idle', 'idle', 'idle', 'idle']) {
      seen.push(...shows([word], false));
      expect(seen).toEqual([]);
      wait(100);
    }
    wait(500);
    expect(shows(['idle'], false)).toEqual(['idle by screen']);
  });

  it('decides when a title no longer shows work', () => {
    const { shows, title, wait } = setUp();
    expect(title('working')).toEqual(['active']);
    expect(title('my project')).toEqual([]);
    wait(300);
    expect(shows(['idle'], true)).toEqual(['idle by screen']);
  });

  it('does not overrule a title that keeps showing work', () => {
    const { shows, title, wait } = setUp();
    title('working');
    for (let times = 0; times < 20; times += 1) {
      wait(500);
      expect(shows(['idle'], true).filter((seen) => !seen.startsWith('active'))).toEqual([]);
      title('working');
    }
  });

  it('reports the question while it is asked', () => {
    const { shows, watcher } = setUp();
    shows(['asking', 'May I?'], true);
    expect(watcher.screenQuestion()).toEqual({ text: 'May I?', options: [] });
    shows(['asking', 'And this?'], true);
    expect(watcher.screenQuestion()?.text).toBe('And this?');
    expect(shows(['active'], true)).toEqual(['active by screen']);
    expect(watcher.screenQuestion()).toBeNull();
    shows(['asking', 'Once more?'], true);
    expect(watcher.end()).toMatchObject([{ state: 'unknown', source: 'process' }]);
    expect(watcher.screenQuestion()).toBeNull();
  });
});
