import { SEARCH_MARKS_MAX, SEARCH_SNIPPET_CHARS } from '@agent-console/shared/limits/search';
import { describe, expect, it } from 'vitest';
import { excerptOf, parseSearch } from '../../src/domain/search.ts';

const marked = (text: string, query: string) => {
  const { snippet, marks } = excerptOf(text, parseSearch(query));
  return { snippet, words: marks.map(({ start, end }) => snippet.slice(start, end)) };
};

describe('parsing a search', () => {
  const phrase = (...words: string[]) => ({ words, isPrefix: false });
  it.each([
    ['login page', [phrase('login'), phrase('page')], []],
    ['"login page" now', [phrase('login', 'page'), phrase('now')], []],
    ['"never closed', [phrase('never', 'closed')], []],
    ['src/app.ts:12 user_id', [phrase('src', 'app', 'ts', '12'), phrase('user', 'id')], []],
    ['log* *', [{ words: ['log'], isPrefix: true }], []],
    ['-one AND (two) -- ???', [phrase('one'), phrase('AND'), phrase('two')], []],
    ['用React写, ログイン。 x', [phrase('x')], ['用React写', 'ログイン']],
    ['cafe\u0301', [phrase('café')], []],
    ['"" *', [], []],
  ])('%j', (query, phrases, pieces) => {
    expect(parseSearch(query)).toEqual({ phrases, pieces });
  });
});

describe('the excerpt of a text', () => {
  it.each([
    ['The login page is slow', 'page login', { snippet: 'The login page is slow', words: ['login', 'page'] }],
    ['a\n\n  b\tLOGIN\u001b[31m c', 'login', { snippet: 'a b LOGIN [31m c', words: ['LOGIN'] }],
    ['Zürich, cafe\u0301s and Cafe', 'CAFE zurich', { snippet: 'Zürich, cafés and Cafe', words: ['Zürich', 'Cafe'] }],
    ['log logs login', 'log*', { snippet: 'log logs login', words: ['log', 'logs', 'login'] }],
    ['see src/app.ts', 'src.app', { snippet: 'see src/app.ts', words: ['src/app'] }],
    ['<b>x</b> & "y"', 'x', { snippet: '<b>x</b> & "y"', words: ['x'] }],
    ['请修复登录页面', '登录', { snippet: '请修复登录页面', words: ['登录'] }],
    ['로그인을', '로그인', { snippet: '로그인을', words: ['로그인'] }],
    ['nothing of it', 'else', { snippet: 'nothing of it', words: [] }],
    ['', 'x', { snippet: '', words: [] }],
    ['a\u0301\u0302 b', '"a b"', { snippet: 'á\u0302 b'.normalize('NFC'), words: ['á\u0302 b'.normalize('NFC')] }],
  ])('%j by %j', (text, query, wanted) => {
    expect(marked(text, query)).toEqual(wanted);
  });

  it('is computed quickly for a text that provokes backtracking', () => {
    const marks = '\u0301'.repeat(30_000);
    const { words } = marked(`a${marks} b${marks} x a b c`, '"a b c"');
    expect(words).toEqual(['a b c']);
  });

  it('is short, starts at a word before the first match, and marks where it is cut', () => {
    const long = `${'before '.repeat(100)}needle ${'after '.repeat(100)}`;
    const { snippet, words } = marked(long, 'needle');
    expect(words).toEqual(['needle']);
    expect(snippet).toMatch(/^…before (?:before )*needle after .*…$/);
    expect(snippet.length).toBeLessThanOrEqual(SEARCH_SNIPPET_CHARS + 2);
  });

  it('is short for a text without word boundaries, and for one of matches only', () => {
    const endless = marked(`${'x'.repeat(50_000)} needle${'y'.repeat(50_000)}`, 'needle*');
    expect(endless.words).toHaveLength(1);
    expect(endless.snippet.length).toBeLessThanOrEqual(SEARCH_SNIPPET_CHARS + 2);
    const many = marked('a '.repeat(50_000), 'a');
    expect(many.words).toHaveLength(SEARCH_MARKS_MAX);
    expect(many.snippet.length).toBeLessThanOrEqual(SEARCH_SNIPPET_CHARS + 2);
    expect(marked(`${'🌍'.repeat(1_000)} needle`, 'needle').snippet).not.toMatch(/\p{Surrogate}/u);
  });
});
