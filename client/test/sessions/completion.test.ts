import { describe, expect, it } from 'vitest';
import { complete, matchingCommands, tokenAt } from '../../src/features/sessions/prompt/completion.ts';

const at = (marked: string) => {
  const caret = marked.indexOf('|');
  const found = tokenAt(marked.replace('|', ''), caret);
  return found && `${found.kind} ${found.query} ${found.start}-${found.end}`;
};

describe('a prompt', () => {
  it.each([
    ['/|', 'command  0-1'],
    ['/rev| the code', 'command rev 0-4'],
    ['see @src/a|', 'file src/a 4-10'],
    ['@|', 'file  0-1'],
    ['a\n(@b|)', 'file b 3-5'],
  ])('completes %s', (text, token) => {
    expect(at(text)).toBe(token);
  });

  it.each(['me@example.com|', 'a /b|', '/a b|', '@a b|', 'text|', '|'])('does not complete %s', (text) => {
    expect(at(text)).toBeUndefined();
  });

  it('gets the chosen name in place of the typed part, and a space', () => {
    const token = tokenAt('see @lo now', 7);
    expect(token && complete('see @lo now', token, '@src/login.ts')).toEqual({
      text: 'see @src/login.ts now',
      caret: 18,
    });
    const last = tokenAt('/re', 3);
    expect(last && complete('/re', last, '/review')).toEqual({ text: '/review ', caret: 8 });
  });
});

it('commands that begin with what was typed come first', () => {
  const commands = ['security-review', 'init', 'Review'].map((name) => ({ name, description: '', hint: null }));
  expect(matchingCommands(commands, 're').map(({ name }) => name)).toEqual(['Review', 'security-review']);
  expect(matchingCommands(commands, '')).toHaveLength(3);
});
