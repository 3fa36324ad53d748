import { describe, expect, it } from 'vitest';
import type { KindReading } from '../../src/agents/common/kind.ts';
import { geminiReading } from '../../src/agents/gemini/reading.ts';
import { opencodeReading } from '../../src/agents/opencode/reading.ts';
import { lineContainsText } from '../../src/domain/typing.ts';

/** Returns a screen with this text. The texts were recorded from terminals and shortened to what matters. */
const at = (text: string, title: string | null = null) => ({
  lines: text.split('\n'),
  title,
  alternateScreen: false,
});
const lineOf = (reading: KindReading, text: string, title?: string) => reading.readInput?.(at(text, title)) ?? null;

const FOOT = `  ┃
  ┃  Build · Scripted Scripted
  ╹${'▀'.repeat(110)}
   /demo/tree                                                                    120 (0%)  ctrl+p commands`;

describe('opencode', () => {
  it.each([
    [
      'help',
      `     Done.

                                Help                                           esc/enter

                                Press ctrl+p to see all available actions and commands
                                in any context.
                                                                                   ok
  ┃
  ┃
`,
    ],
    [
      'a list with the conversation beside it',
      `  ┃
  ┃  hello two                    Select model                                     esc
  ┃
                                  Search
     ▣  Build · Scripted · 653    Gemini 2.5 Flash
                                ● Scripted
  ┃
  ┃
`,
    ],
    [
      'a list in a wide window',
      `                                  Themes                                           esc                    Context
                                ● opencode                                                                120 tokens
  ┃
  ┃
`,
    ],
  ])('has no input line while something that a command opened is above it: %s', (_, text) => {
    expect(lineOf(opencodeReading, `${text}${FOOT}`)).toBeNull();
    // The input box is visible below what the command opened, so the agent counts as idle.
    expect(opencodeReading.readScreen(at(`${text}${FOOT}`))?.state).toBe('idle');
  });

  it.each([
    ['nothing above it', '     Done.\n\n  ┃\n  ┃  /nosuch\n'],
    ['a list above it', `     Done.\n  ┃ No matching items${' '.repeat(90)}┃\n  ┃\n  ┃  /nosuch\n`],
    ['text about keys above it', '  ┃  press esc\n\n     To leave press    esc now\n\n  ┃\n  ┃  /nosuch\n'],
  ])('has a command in its input line with %s', (_, text) => {
    const line = lineOf(opencodeReading, `${text}${FOOT}`);
    expect(lineContainsText(line ?? '', '/nosuch')).toBe(true);
  });
});

const RULE = '─'.repeat(119);
const BOX = `▄${'▄'.repeat(118)}
 >   Type your message or @path/to/file
▀${'▀'.repeat(118)}
 workspace (/directory)                                              branch             sandbox                  /model
 /demo/tree                                                          main               no sandbox     gemini-2.5-flash`;

describe('Gemini', () => {
  it('has no input line while it runs hooks at the end of a turn', () => {
    const ending = `✦ Done.

 ⠹ Executing Hooks: agent-console (esc to cancel, 0s)                                                   ? for shortcuts
${RULE}
 auto-accept edits Shift+Tab to manual                                                    1 context file · 1 MCP server
${BOX}`;
    expect(lineOf(geminiReading, ending, '✦  Working… (tree)')).toBeNull();
    const rest = ending.replace(/ ⠹.*0s\)/u, ' '.repeat(53));
    expect(lineOf(geminiReading, rest, '◇  Ready (tree)')).not.toBeNull();
  });

  it.each([
    [
      'how to log in',
      [
        '? Get started',
        '',
        '  How would you like to authenticate for this project?',
        '',
        '  ● 1. Sign in with Google',
        '    2. Use Gemini API Key',
        '    3. Vertex AI',
        '',
        '  (Use Enter to select)',
      ],
      ['Sign in with Google', 'Use Gemini API Key', 'Vertex AI'],
    ],
    [
      'for a key',
      [
        'Enter Gemini API Key',
        '',
        'Please enter your Gemini API key. It will be securely stored in your system keychain.',
        '',
        `╭${'─'.repeat(100)}╮`,
        `│ ${'Paste your API key here'.padEnd(98)} │`,
        `╰${'─'.repeat(100)}╯`,
        '',
        '(Press Enter to submit, Esc to cancel, Ctrl+C to clear stored key)',
      ],
      [],
    ],
  ])('asks %s, and has no input line for a prompt', (_, content, answers) => {
    const edge = '─'.repeat(118);
    const inside = content.map((line) => `│ ${line.padEnd(117)}│`);
    const screen = at([` ▝▀`, '', `╭${edge}╮`, ...inside, `╰${edge}╯`].join('\n'), '◇  Ready (tree)');
    const reading = geminiReading.readScreen(screen);
    expect(reading).toMatchObject({ state: 'asking', confidence: 'likely' });
    expect(reading?.question?.text).toContain(content[2]?.trim());
    expect(reading?.question?.options.map(({ label }) => label)).toEqual(answers);
    expect(geminiReading.readInput?.(screen)).toBeNull();
  });

  it('asks what to do about a loop after the end of its turn, with an idle title', () => {
    const edge = '─'.repeat(117);
    const inside = [
      '?  A potential loop was detected',
      '',
      'This can happen due to repetitive tool calls or other model behavior. Do you want to keep loop detection enabled or',
      'disable it for this session?',
      '',
      '● 1. Keep loop detection enabled (esc)',
      '  2. Disable loop detection for this session',
    ].map((line) => ` │ ${line.padEnd(116)}│`);
    const screen = at(['  again and', '', ` ╭${edge}╮`, ...inside, ` ╰${edge}╯`].join('\n'), '◇  Ready (tree)');
    expect(geminiReading.readScreen(screen)).toMatchObject({
      state: 'asking',
      // With the confidence `likely`, this reading overrides a hook that has reported the end of the turn. A guess
      // would not.
      confidence: 'likely',
      question: {
        options: [
          { label: 'Keep loop detection enabled', keys: '1' },
          { label: 'Disable loop detection for this session', keys: '2' },
        ],
      },
    });
    expect(geminiReading.readInput?.(screen)).toBeNull();
  });
});
