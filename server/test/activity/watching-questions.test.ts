import { QUESTION_READ_MS } from '@agent-console/shared/limits/approvals';
import { describe, expect, it } from 'vitest';
import { createActivityWatchers } from '../../src/activity/watcher.ts';
import { createQuestionTracker } from '../../src/engine/processes/question-tracker.ts';
import type { AgentSignal, WatchedKind } from '../../src/ports/agents.ts';

/**
 * An agent that reports its questions, e.g. as `Bash: npm test`, and shows them in its screen's first line, as `?
 * text`.
 */
const kind: WatchedKind = {
  readTitle: () => null,
  readScreen({ lines: [line = ''] }) {
    if (!line.startsWith('? ')) return { state: 'active', confidence: 'likely', question: null };
    const options = [{ id: '1', label: 'Yes', kind: 'allow', keys: '1' }] as const;
    return { state: 'asking', confidence: 'likely', question: { text: line.slice(2), options } };
  },
  readSignal: (line) => [line as AgentSignal],
};

function setUp() {
  let now = 0;
  const watchers = createActivityWatchers(
    () => kind,
    () => now,
  );
  const watcher = watchers('custom', { offset: 0, state: 'active', confidence: 'likely' });
  const news = createQuestionTracker(watcher, () => now);
  return {
    watcher,
    news,
    wait(ms: number) {
      now += ms;
    },
    reports: (text: string, tool: string | null) => watcher.signal({ type: 'asking', nativeId: null, text, tool }),
    goesOn: () => watcher.signal({ type: 'answered', nativeId: null }),
    shows(line: string, settled = true) {
      watcher.screen({ lines: [line], title: null, alternateScreen: false, offset: 1, settled });
    },
    told: () => news.take().map(({ asked }) => asked && [asked.source, asked.tool, asked.text, asked.options.length]),
  };
}

describe('the question of an agent', () => {
  it('is reported once the screen shows it, with the reported tool', () => {
    const { reports, shows, told } = setUp();
    reports('Bash: npm test', 'Bash');
    expect(told()).toEqual([]);
    shows('? Run npm test', false);
    expect(told()).toEqual([]);
    shows('? Run npm test');
    expect(told()).toEqual([['screen', 'Bash', 'Run npm test', 1]]);
    shows('? Run npm test');
    expect(told()).toEqual([]);
  });

  it('comes from the report until the screen shows it, and is then completed from the screen', () => {
    const { reports, shows, told, wait, news } = setUp();
    reports('Bash: npm test', 'Bash');
    expect(told()).toEqual([]);
    expect(news.dueAt()).toBe(QUESTION_READ_MS);
    wait(QUESTION_READ_MS);
    expect(told()).toEqual([['hook', 'Bash', 'Bash: npm test', 0]]);
    expect(news.dueAt()).toBeNull();
    shows('? Run npm test');
    expect(told()).toEqual([['screen', 'Bash', 'Run npm test', 1]]);
  });

  it('is unknown without a report or screen', () => {
    const { watcher, told, wait } = setUp();
    watcher.correct('asking');
    expect(told()).toEqual([]);
    wait(QUESTION_READ_MS);
    expect(told()).toEqual([null]);
  });

  it('is read again when the agent reports the next question, even with the same text', () => {
    const { reports, shows, told, wait } = setUp();
    reports('Bash: npm test', 'Bash');
    shows('? May I?');
    expect(told()).toHaveLength(1);
    reports('Edit: a.txt', 'Edit');
    wait(QUESTION_READ_MS - 1);
    expect(told()).toEqual([]);
    shows('? May I?');
    expect(told()).toEqual([['screen', 'Edit', 'May I?', 1]]);
  });

  it('does not inherit the tool of the previous question', () => {
    const { reports, shows, told } = setUp();
    reports('Bash: npm test', 'Bash');
    shows('? May I?');
    told();
    shows('? Which one?');
    expect(told()).toEqual([['screen', null, 'Which one?', 1]]);
  });

  it('is not replaced by a late report without a tool', () => {
    const { reports, shows, told } = setUp();
    reports('Bash: npm test', 'Bash');
    shows('? May I?');
    told();
    reports('The agent needs your permission', null);
    expect(told()).toEqual([]);
  });

  it('is reported again when it is asked again, and on demand', () => {
    const { reports, goesOn, shows, told, news } = setUp();
    reports('Bash: npm test', 'Bash');
    shows('? May I?');
    expect(told()).toHaveLength(1);
    goesOn();
    expect(told()).toEqual([]);
    reports('Bash: npm test', 'Bash');
    shows('? May I?');
    expect(told()).toHaveLength(1);
    news.again();
    expect(told()).toHaveLength(1);
  });
});
