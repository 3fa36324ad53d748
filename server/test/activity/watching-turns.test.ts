import { describe, expect, it } from 'vitest';
import { createActivityWatchers } from '../../src/activity/watcher.ts';
import { claudeCodeReading } from '../../src/agents/claude-code/reading.ts';
import type { KindReading } from '../../src/agents/common/kind.ts';
import { geminiReading } from '../../src/agents/gemini/reading.ts';
import type { Transition } from '../../src/ports/agents.ts';

function setUp(kind: KindReading) {
  let now = 0;
  const watchers = createActivityWatchers(
    () => kind,
    () => now,
  );
  const watcher = watchers('custom', { offset: 0, state: 'unknown', confidence: 'guess' });
  const states: string[] = ['unknown'];
  let offset = 0;
  let title: string | null = null;
  const take = (changes: Transition[]) => {
    for (const { state } of changes) if (state !== states.at(-1)) states.push(state);
  };
  return {
    /** Reported states, in order. Successive reports of the same state count once. */
    states,
    wait(ms: number) {
      const end = now + ms;
      for (let due = watcher.dueAt(); due !== null && due > now && due <= end; due = watcher.dueAt()) {
        now = due;
        take(watcher.tick());
      }
      now = end;
    },
    reports: (line: object) => take(watcher.signal(line).changes),
    sets(text: string) {
      title = text;
      const data = Buffer.from(`\x1b]0;${text}\x07`);
      take(watcher.push(offset, data));
      offset += data.length;
    },
    shows: (lines: readonly string[]) =>
      take(watcher.screen({ lines, title, alternateScreen: false, offset, settled: true })),
  };
}

const RULE = '─'.repeat(60);
const gemini = (status: string) => [
  '✦ Done.',
  '',
  status,
  RULE,
  ' Shift+Tab to accept edits',
  '▄'.repeat(60),
  ' >   Type your message',
  '▀'.repeat(60),
  ' /tmp/app   main',
];
const claude = (hint: string) => ['● Hello.', '', RULE, '❯ ', RULE, `  ${hint}`];

describe('the turns of an agent that reports them', () => {
  it('continue while Gemini accepts a long prompt and still repaints its idle screen', () => {
    const { states, wait, reports, sets, shows } = setUp(geminiReading);
    const rests = () => {
      sets('◇  Ready (app)');
      shows(gemini(' '.repeat(40)));
    };
    rests();
    wait(5_000);
    reports({ hook_event_name: 'BeforeAgent', session_id: 's', prompt: 'long' });
    for (let times = 0; times < 10; times += 1) {
      wait(700);
      rests();
    }
    expect(states).toEqual(['unknown', 'idle', 'active']);
    sets('✦  Working… (app)');
    shows(gemini(' ⠋ Thinking... (esc to cancel, 0s)'));
    wait(3_000);
    rests();
    wait(3_000);
    expect(states).toEqual(['unknown', 'idle', 'active', 'idle']);
  });

  it('end with Escape in Claude Code, which does not report it', () => {
    const { states, wait, reports, sets, shows } = setUp(claudeCodeReading);
    sets('✳ hello');
    shows(claude('? for shortcuts'));
    wait(5_000);
    reports({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'go' });
    sets('◐ hello');
    shows(claude('esc to interrupt'));
    wait(5_000);
    reports({ hook_event_name: 'PostToolUse', session_id: 's' });
    wait(100);
    sets('✳ hello');
    shows(claude('? for shortcuts'));
    expect(states).toEqual(['unknown', 'idle', 'active']);
    wait(3_000);
    expect(states).toEqual(['unknown', 'idle', 'active', 'idle']);
  });
});
