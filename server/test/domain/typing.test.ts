import { describe, expect, it } from 'vitest';
import { lineContainsText, textToType } from '../../src/domain/typing.ts';

const typed = 'Fix the "login" form:\n\tit says 日本語 and e\u0301 twice, then stops — please look';

describe('a typed text', () => {
  it.each([
    ['as it is', typed],
    ['wrapped and indented', '  Fix the "login" fo\n  rm:\n      it says'],
    ['as its end, when the line scrolls', 'then stops — please look'],
    [
      'after an older text',
      'what was left behind\nFix the "login" form: it says 日本語 and é twice, then stops — please look',
    ],
    ['as a paste placeholder (Claude Code)', ' [Pasted text #1 +12 lines]'],
    ['as a paste placeholder (Codex)', ' [Pasted Content 1234 chars]'],
    ['as a paste placeholder (Gemini CLI)', ' [Pasted Text: 12 lines]'],
    ['as a paste placeholder (opencode)', '  [Pasted ~12 lines]'],
  ])('is recognized in a line %s', (_, line) => {
    expect(lineContainsText(line, typed)).toBe(true);
  });

  it('is recognized even if the screen lost a character of unknown width', () => {
    const given = '!2c1k6w5 <b>&amp;</b>saoiiöwx7 𓀍ߥ𘥥᭓𝞕Ĕ94an9s 9fe8';
    expect(lineContainsText('\n  !2c1k6w5 <b>&amp;</b>saoiiöwx7 𓀍ߥ ᭓𝞕Ĕ94an9s 9fe8\n', given)).toBe(true);
    expect(lineContainsText('  !2c1k6w5 and then something that was never given', given)).toBe(false);
  });

  it.each([
    ['an empty line', ' \n '],
    ['a hint', ' Ask Codex to do anything'],
    ['another hint', '   Type your message or @path/to/file'],
    ['something else', ' What a person began to write'],
  ])('is not recognized in %s', (_, line) => {
    expect(lineContainsText(line, typed)).toBe(false);
    expect(lineContainsText(line, 'a')).toBe(false);
  });

  it('of punctuation is recognized in a line of punctuation', () => {
    expect(lineContainsText(' 🌍!', '🌍!')).toBe(true);
    expect(lineContainsText(' Ask anything', '?')).toBe(false);
    expect(lineContainsText('', '?')).toBe(false);
  });
});

describe('the text to type for a prompt', () => {
  const rules = { commandCharacters: ['/', '!', '@'], safePrefix: 'Message:', trailingSpace: true };

  it.each([
    ['of another agent, which looks like a command', '!ls', false, 'Message:\n!ls '],
    ['of another agent, which looks like a command after a space', ' !ls', false, 'Message:\n !ls '],
    ['of a person, which is a command', '!ls', true, '!ls'],
    ['of a person, which is a command with arguments', '/ask @x', true, '/ask @x '],
    ['with a command character inside', 'run /x!', false, 'run /x! '],
    ['that ends with a backslash', 'in C:\\', true, 'in C:\\ '],
    ['that ends with a word that opens a list', 'see @readme', true, 'see @readme '],
  ])('%s', (_, prompt, byPerson, typed) => {
    expect(textToType(prompt, byPerson, rules)).toBe(typed);
  });

  it('starts with the lead, unless a person sends a command', () => {
    expect(textToType('look', false, rules, 'Context files: "a"\n')).toBe('Context files: "a"\nlook ');
    expect(textToType('!ls', false, rules, 'Context files: "a"\n')).toBe('Context files: "a"\n!ls ');
    expect(textToType('/ask me', true, rules, 'Context files: "a"\n')).toBe('/ask me ');
  });

  it('has no trailing space for an agent that interprets every byte', () => {
    const none = { commandCharacters: [], safePrefix: null, trailingSpace: false };
    expect(textToType('!ls \\', false, none)).toBe('!ls \\');
  });
});
