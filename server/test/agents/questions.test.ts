import { describe, expect, it } from 'vitest';
import { claudeCodeReading } from '../../src/agents/claude-code/reading.ts';
import { codexReading } from '../../src/agents/codex/reading.ts';
import type { AnswerOption } from '../../src/ports/agents.ts';
import { createOfflineScreen } from '../../src/screens/offline.ts';
import { allCaptures, bytesOf } from './support/captures.ts';

async function questionAt(name: string, mark: string) {
  const capture = allCaptures().find((one) => one.name === name);
  const end = capture?.labels.find((label) => label.mark === mark)?.end;
  if (capture === undefined || end === undefined) throw new Error(`no ${name} ${mark}`);
  const screen = createOfflineScreen(capture.cols, capture.rows);
  await screen.write(bytesOf(capture).subarray(0, end));
  const reading = capture.reading.readScreen(screen.content());
  screen.close();
  return reading?.question ?? null;
}

const brief = (options: readonly AnswerOption[]) => options.map(({ kind, keys, label }) => [kind, keys, label]);
const ESC = '\x1b';

describe('questions on the screens of real agents', () => {
  it('finds command, answers and keys of a permission question of Claude Code', async () => {
    const question = await questionAt('claude-2.1.330/work', '7-asking-bash');
    expect(question?.text).toContain('sleep 4; echo TESTS-PASSED; touch ran.txt');
    expect(brief(question?.options ?? [])).toEqual([
      ['allow', '1', 'Yes'],
      ['allow', '2', 'Yes, and always allow access to /tmp/demo-app from this project'],
      ['allow', '3', 'Yes, and switch to auto mode · auto mode handles these prompts for you'],
      ['deny', '4', 'No'],
    ]);
  });

  it('uses an arrow key for the answer that is not selected if a dialog has no numbers', async () => {
    const question = await questionAt('claude-2.1.330/notrust', '1');
    expect(question?.text).toContain('/tmp/demo-app');
    expect(brief(question?.options ?? [])).toEqual([
      ['deny', '\r', 'No, exit'],
      ['allow', `${ESC}[B\r`, 'Yes, I trust this folder'],
    ]);
    const key = await questionAt('claude-2.1.330/nokey', '1');
    expect(brief(key?.options ?? [])).toEqual([
      ['allow', `${ESC}[A\r`, 'Yes'],
      ['deny', '\r', 'No (recommended)'],
    ]);
  });

  it('reads keys from the footer if a dialog has no list', async () => {
    const question = await questionAt('claude-2.1.330/auto', '1-asking-auto-mode');
    expect(brief(question?.options ?? [])).toEqual([
      ['other', '\r', 'stay in auto mode'],
      ['other', `${ESC}[Z`, 'leave for accept edits mode and stop'],
      ['deny', ESC, 'cancel'],
    ]);
  });

  it('finds the file of a change, and the approval of a plan', async () => {
    expect((await questionAt('claude-2.1.330/work', '10-asking-write'))?.text).toContain('create hello.txt?');
    expect((await questionAt('claude-2.1.330/plan', '2-asking-plan'))?.text).toMatch(/^Exit plan mode\?/);
    expect((await questionAt('claude-2.1.330/more', '13-asking-long-file'))?.text).toContain('create values.ts?');
  });

  it('finds a question with choices in every agent that asks one', async () => {
    for (const name of ['claude-2.1.330/work', 'claude-2.1.197/work', 'gemini-0.61.0/work', 'opencode-1.18.33/work']) {
      const question = await questionAt(name, '12-asking-question');
      expect(question?.text).toBe('Which database should be used?');
      expect(brief(question?.options ?? []).slice(0, 2)).toEqual([
        ['other', '1', 'SQLite'],
        ['other', '2', 'Postgres'],
      ]);
    }
  });

  it('finds a question for free text', async () => {
    expect(await questionAt('gemini-0.61.0/free', '2-asking-on-own')).toEqual({
      text: 'What shall it be called?',
      options: [],
    });
  });

  it('finds command, answers and keys of Codex', async () => {
    const question = await questionAt('codex-0.169.0/work', '7-asking-bash');
    expect(question?.text).toContain('$ sleep 4; echo TESTS-PASSED; touch ran.txt');
    expect(brief(question?.options ?? [])).toEqual([
      ['allow', '1', 'Yes, proceed'],
      ['allow', '2', "Yes, and don't ask again for commands that start with `sleep 4`"],
      ['deny', '3', 'No, and tell Codex what to do differently'],
    ]);
    const tool = await questionAt('codex-0.169.0/work', '5-asking-mcp-tool');
    expect(tool?.text).toBe('Allow the agent-console MCP server to run tool "list_sessions"?');
    expect(tool?.options.map(({ kind }) => kind)).toEqual(['allow', 'allow', 'allow', 'deny']);
    const trust = await questionAt('codex-0.169.0/notrust', '1-asking-trust');
    expect(trust?.text).toContain('Trust this folder?');
    expect(brief(trust?.options ?? []).map(([kind, keys]) => [kind, keys])).toEqual([
      ['allow', '\r'],
      ['deny', `${ESC}[B\r`],
    ]);
  });

  it('finds command, answers and keys of Gemini, only in its box', async () => {
    const question = await questionAt('gemini-0.61.0/work', '7-asking-bash');
    expect(question?.text).toContain('Allow execution of [Shell]?');
    expect(brief(question?.options ?? [])).toEqual([
      ['allow', '1', 'Allow once'],
      ['allow', '2', 'Allow for this session'],
      ['deny', '3', 'No, suggest changes'],
    ]);
    expect((await questionAt('gemini-0.61.0/notrust', '1-asking-trust'))?.text).toMatch(/^Do you trust the files/);
  });

  it('finds answers in a row of opencode', async () => {
    const question = await questionAt('opencode-1.18.33/work', '7-asking-bash');
    expect(question?.text).toContain('$ sleep 4; echo TESTS-PASSED; touch ran.txt');
    expect(brief(question?.options ?? [])).toEqual([
      ['allow', '\r', 'Allow once'],
      ['allow', `${ESC}[C\r`, 'Allow always'],
      ['deny', ESC, 'Reject'],
    ]);
  });
});

describe('the tool that an agent wants to use', () => {
  it.each([
    ['codex-0.169.0/work', '7-asking-bash', 'exec_command'],
    ['codex-0.169.0/work', '5-asking-mcp-tool', 'list_sessions'],
    ['opencode-1.18.33/work', '5-asking-mcp-tool', 'agent-console_list_sessions'],
    ['opencode-1.18.33/work', '7-asking-bash', 'bash'],
    ['opencode-1.18.33/work', '10-asking-write', 'edit'],
    ['opencode-1.18.33/work', '12-asking-question', undefined],
  ])('is read off the screen in %s at %s', async (name, mark, tool) => {
    const question = await questionAt(name, mark);
    expect([question?.tool, question?.text]).toEqual([tool, expect.any(String)]);
  });
});

describe('wordings that no version has used yet', () => {
  const content = (lines: string[], title: string | null = null) => ({ lines, title, alternateScreen: true });

  it('does not read an input box as idle while the title has an unknown sign', () => {
    const rule = '─'.repeat(60);
    const box = [rule, '❯ ', rule, `  ${'some footer that was cut off before its end '.repeat(2)}`.slice(0, 60)];
    expect(claudeCodeReading.readScreen(content(box, '◴ Claude Code'))).toBeNull();
    expect(claudeCodeReading.readScreen(content(box, '◇ Claude Code'))).toBeNull();
    expect(claudeCodeReading.readScreen(content(box, '✳ Claude Code'))?.state).toBe('idle');
  });

  it('only guesses that a list with a selected line is a question if no words confirm it', () => {
    const list = ['  What now?', '', '› 1. One way', '  2. Another way', '', '  pick with the arrows'];
    expect(codexReading.readScreen(content(list))).toMatchObject({ state: 'asking', confidence: 'guess' });
    expect(
      claudeCodeReading.readScreen(content(['❯ 1. One way', '  2. Another way', '', 'a line', 'and one more'])),
    ).toBeNull();
  });
});
