import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../src/features/diff/highlight.ts';
import { LANGUAGES, type Language, languageOf } from '../../src/features/diff/languages.ts';
import { coloursOf } from '../../src/features/diff/tokens.ts';
import { hunkAt } from './files.ts';

/** Returns the coloured tokens of each line, e.g. `keyword const`. */
async function tokens(lines: readonly string[], language: Language): Promise<string[][]> {
  const hunk = hunkAt(1, lines);
  const grammar = (await LANGUAGES[language].grammar()).default;
  // Highlights the lines twice. The first time also compiles regular expressions, and may exceed the time limit on a
  // busy machine.
  await coloursOf(lines, language, grammar);
  const colours = await coloursOf(lines, language, grammar);
  return lines.map((_, at) =>
    piecesOf(hunk, at, colours)
      .filter(({ colour, text }) => colour !== 'plain' && text.trim() !== '')
      .map(({ colour, text }) => `${colour} ${text.trim()}`),
  );
}

describe('syntax highlighting', () => {
  it('distinguishes keywords, strings, numbers, calls and comments', async () => {
    expect(await tokens([' const a = call("x", 1); // why'], 'typescript')).toEqual([
      ['keyword const', 'name call', 'string "x"', 'number 1', 'comment // why'],
    ]);
  });

  it('spans lines, separately in both versions', async () => {
    expect(await tokens(['+/* begins', '-let b;', '+still', ' end */ let c;'], 'typescript')).toEqual([
      ['comment /* begins'],
      ['keyword let'],
      ['comment still'],
      ['comment end */', 'keyword let'],
    ]);
  });

  it('recognizes the middle of a comment, and PHP without its open tag', async () => {
    expect(await tokens([' * why', ' */', ' let c;'], 'typescript')).toEqual([
      ['comment * why'],
      ['comment */'],
      ['keyword let'],
    ]);
    expect(await tokens([' return 1;'], 'php')).toEqual([['keyword return', 'number 1']]);
  });

  it('leaves a too long line plain and continues after it', async () => {
    expect(await tokens([` ${'x = "y";'.repeat(300)}`, ' let c;'], 'typescript')).toEqual([[], ['keyword let']]);
  });

  it.each(['ts', 'py', 'html', 'yml', 'sql', 'css', 'sh', 'md', 'json'])(
    'preserves every character of a .%s file',
    async (ending) => {
      const lines = [
        ' const a = `x b y`; /* c',
        " it's # not // a \\' string\r",
        ' ',
        '+\t\u{1f600} Ä "',
        '\\ No newline at end of file',
      ];
      const hunk = hunkAt(1, lines);
      const language = languageOf(`a.${ending}`) as Language;
      const colours = await coloursOf(lines, language, (await LANGUAGES[language].grammar()).default);
      for (const [at, line] of lines.entries()) {
        const pieces = piecesOf(hunk, at, colours);
        expect(pieces.map(({ text }) => text).join('')).toBe(line.slice(1));
      }
    },
  );

  it('is plain before highlighting', () => {
    expect(piecesOf(hunkAt(1, ['+let a;']), 0, undefined)).toEqual([{ text: 'let a;', colour: 'plain' }]);
  });

  it('detects the language by file name', () => {
    expect(languageOf('deploy/Dockerfile')).toBe('docker');
    expect(languageOf('main.go')).toBe('go');
    expect(languageOf('LICENSE')).toBeUndefined();
    expect(languageOf('go')).toBeUndefined();
  });
});
