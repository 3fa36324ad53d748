import { describe, expect, it } from 'vitest';
import { GRAMMARS } from '../../src/features/diff/grammars.ts';
import { piecesOf } from '../../src/features/diff/highlight.ts';
import { type Language, languageOf } from '../../src/features/diff/languages.ts';
import { coloursOf } from '../../src/features/diff/tokens.ts';
import { hunkAt } from './files.ts';

/** What is told apart in each line: `keyword const`. */
async function told(lines: readonly string[], language: Language): Promise<string[][]> {
  const hunk = hunkAt(1, lines);
  const grammar = (await GRAMMARS[language]()).default;
  // A line has so much time, of which a language's first one needs most, and all of it on a busy machine.
  await coloursOf(lines, language, grammar);
  const colours = await coloursOf(lines, language, grammar);
  return lines.map((_, at) =>
    piecesOf(hunk, at, colours)
      .filter(({ colour, text }) => colour !== 'plain' && text.trim() !== '')
      .map(({ colour, text }) => `${colour} ${text.trim()}`),
  );
}

describe('colours of code', () => {
  it('tell keywords, strings, numbers, calls and comments apart', async () => {
    expect(await told([' const a = call("x", 1); // why'], 'typescript')).toEqual([
      ['keyword const', 'name call', 'string "x"', 'number 1', 'comment // why'],
    ]);
  });

  it('go on over lines, apart in both versions', async () => {
    expect(await told(['+/* begins', '-let b;', '+still', ' end */ let c;'], 'typescript')).toEqual([
      ['comment /* begins'],
      ['keyword let'],
      ['comment still'],
      ['comment end */', 'keyword let'],
    ]);
  });

  it('know the middle of a comment, and PHP without its beginning', async () => {
    expect(await told([' * why', ' */', ' let c;'], 'typescript')).toEqual([
      ['comment * why'],
      ['comment */'],
      ['keyword let'],
    ]);
    expect(await told([' return 1;'], 'php')).toEqual([['keyword return', 'number 1']]);
  });

  it('leave a line plain that is too long to read, and go on behind it', async () => {
    expect(await told([` ${'x = "y";'.repeat(300)}`, ' let c;'], 'typescript')).toEqual([[], ['keyword let']]);
  });

  it.each(['ts', 'py', 'html', 'yml', 'sql', 'css', 'sh', 'md', 'json'])(
    'leave every character of a .%s file in its place',
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
      const colours = await coloursOf(lines, language, (await GRAMMARS[language]()).default);
      for (const [at, line] of lines.entries()) {
        const pieces = piecesOf(hunk, at, colours);
        expect(pieces.map(({ text }) => text).join('')).toBe(line.slice(1));
      }
    },
  );

  it('are plain until they are known', () => {
    expect(piecesOf(hunkAt(1, ['+let a;']), 0, undefined)).toEqual([{ text: 'let a;', colour: 'plain' }]);
  });

  it('know a file by its name, and leave others plain', () => {
    expect(languageOf('deploy/Dockerfile')).toBe('docker');
    expect(languageOf('main.go')).toBe('go');
    expect(languageOf('LICENSE')).toBeUndefined();
    expect(languageOf('go')).toBeUndefined();
  });
});
