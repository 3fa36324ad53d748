import { describe, expect, it } from 'vitest';
import { lineContainsText, textToType } from '../../src/domain/typing.ts';

const typed = 'Fix the "login" form:\n\tit says 日本語 and e\u0301 twice, then stops — please look';

describe('a typed text', () => {
  it.each([
    ['as it is', typed],
    ['wrapped and indented', '  Fix the "login" fo\n  rm:\n      it says'],
    ['as its end, where the line scrolls', 'then stops — please look'],
    [
      'behind an older one',
      'what was left behind\nFix the "login" form: it says 日本語 and é twice, then stops — please look',
    ],
    ['as the mark of a paste (Claude Code)', ' [Pasted text #1 +12 lines]'],
    ['as the mark of a paste (Codex)', ' [Pasted Content 1234 chars]'],
    ['as the mark of a paste (Gemini CLI)', ' [Pasted Text: 12 lines]'],
    ['as the mark of a paste (opencode)', '  [Pasted ~12 lines]'],
  ])('is seen in a line %s', (_, line) => {
    expect(lineContainsText(line, typed)).toBe(true);
  });

  it('is seen where the screen lost a letter that it has no width for', () => {
    const given = '!2c1k6w5 <b>&amp;</b>saoiiöwx7 𓀍ߥ𘥥᭓𝞕Ĕ94an9s 9fe8';
    expect(lineContainsText('\n  !2c1k6w5 <b>&amp;</b>saoiiöwx7 𓀍ߥ ᭓𝞕Ĕ94an9s 9fe8\n', given)).toBe(true);
    expect(lineContainsText('  !2c1k6w5 and then something that was never given', given)).toBe(false);
  });

  it.each([
    ['an empty line', ' \n '],
    ['a hint', ' Ask Codex to do anything'],
    ['another hint', '   Type your message or @path/to/file'],
    ['something else', ' What a person began to write'],
  ])('is not seen in %s', (_, line) => {
    expect(lineContainsText(line, typed)).toBe(false);
    expect(lineContainsText(line, 'a')).toBe(false);
  });

  it('of signs alone is seen where signs alone stand', () => {
    expect(lineContainsText(' 🌍!', '🌍!')).toBe(true);
    expect(lineContainsText(' Ask anything', '?')).toBe(false);
    expect(lineContainsText('', '?')).toBe(false);
  });
});

describe('a prompt as it is typed', () => {
  const rules = { commandCharacters: ['/', '!', '@'], safePrefix: 'Message:', trailingSpace: true };

  it.each([
    ['of another agent that would command this one', '!ls', false, 'Message:\n!ls '],
    ['of nobody that would command it behind a blank', ' !ls', false, 'Message:\n !ls '],
    ['of a person that commands it', '!ls', true, '!ls'],
    ['of a person that commands it with more words', '/ask @x', true, '/ask @x '],
    ['with a command character further on', 'run /x!', false, 'run /x! '],
    ['that ends in what would take its Enter away', 'in C:\\', true, 'in C:\\ '],
    ['that ends in what opens a list', 'see @readme', true, 'see @readme '],
  ])('%s', (_, prompt, byPerson, typed) => {
    expect(textToType(prompt, byPerson, rules)).toBe(typed);
  });

  it('has its lead above it, unless a person commands the agent', () => {
    expect(textToType('look', false, rules, 'Context files: "a"\n')).toBe('Context files: "a"\nlook ');
    expect(textToType('!ls', false, rules, 'Context files: "a"\n')).toBe('Context files: "a"\n!ls ');
    expect(textToType('/ask me', true, rules, 'Context files: "a"\n')).toBe('/ask me ');
  });

  it('is left alone by an agent that takes every byte as it is', () => {
    const none = { commandCharacters: [], safePrefix: null, trailingSpace: false };
    expect(textToType('!ls \\', false, none)).toBe('!ls \\');
  });
});
