import { PROMPT_MAX_BYTES } from '@agent-console/shared/limits/texts';
import { describe, expect, it } from 'vitest';
import { anchorOf, type Comment, placeOf, promptOf, promptTooLong } from '../../src/features/diff/comments.ts';
import { diffTitle } from '../../src/features/diff/diff-title.ts';
import { linesOf } from '../../src/features/diff/lines.ts';
import { LARGE_FILE_LINES, type Row, rowsOf } from '../../src/features/diff/rows.ts';
import { chosen } from '../../src/features/diff/selection.ts';
import type { DiffFile, Hunk } from '../../src/features/diff/types.ts';
import { isViewed, markOf, withMark } from '../../src/features/diff/viewed.ts';
import { file, hunkAt } from './files.ts';

const SHA = '1a2b3c4d5e6f708192a3b4c5d6e7f80910111213';

function comment(more: Partial<Comment> = {}): Comment {
  return { id: 'c1', path: 'a.ts', side: 'new', from: 2, to: 2, quote: ['b'], text: 'Why?', ...more };
}

function rows(files: readonly DiffFile[], more: Partial<Parameters<typeof rowsOf>[1]> = {}): Row[] {
  return rowsOf(files, {
    layout: 'unified',
    whitespace: true,
    isViewed: () => false,
    opened: {},
    comments: [],
    editor: undefined,
    ...more,
  });
}

const kinds = (all: readonly Row[]) => all.map(({ kind }) => kind);

describe('viewed marks', () => {
  const before = file('a.ts', [' a', '+b']);

  it('hold while the file stays as it was, however it was asked for', () => {
    const marks = withMark({}, before, true, [before]);
    expect(isViewed(structuredClone(before), marks)).toBe(true);
  });

  it.each<[string, DiffFile]>([
    ['its text changes', file('a.ts', [' a', '+c'])],
    ['it moves', { ...before, hunks: [{ ...(before.hunks[0] as Hunk), newStart: 7 }] }],
    ['it is deleted', { ...before, status: 'deleted' }],
  ])('go when %s', (_, after) => {
    expect(isViewed(after, withMark({}, before, true, [before]))).toBe(false);
  });

  it('are forgotten for files that are no longer part of the changes', () => {
    const other = file('b.ts', ['+x']);
    const marks = withMark({}, other, true, [before, other]);
    expect(withMark(marks, before, true, [before])).toEqual({ 'a.ts': markOf(before) });
    expect(withMark(marks, other, false, [before, other])).toEqual({});
  });
});

describe('comments', () => {
  it('name their place, quote it and follow the order of the files', () => {
    const files = [file('a.ts', ['+x']), file('b.ts', ['+y'])];
    const prompt = promptOf(
      [
        comment({ path: 'b.ts', from: 12, to: 14, quote: ['one', 'two\r', 'three'], text: ' Simpler? ' }),
        comment({ side: 'old', from: 7, to: 7, quote: ['gone'], text: 'Keep this.' }),
      ],
      { baseSha: SHA, files },
    );
    expect(prompt).toBe(
      [
        '2 comments on your changes since 1a2b3c4d5e. Please take care of each.',
        '',
        'a.ts:7 (removed)',
        '> gone',
        'Keep this.',
        '',
        'b.ts:12-14',
        '> one',
        '> two',
        '> three',
        'Simpler?',
      ].join('\n'),
    );
  });

  it('quote the beginning of a long range and say how much is left', () => {
    const lines = linesOf(
      hunkAt(
        1,
        Array.from({ length: 30 }, (_, at) => `+${at}`),
      ),
    );
    const place = placeOf('a.ts', lines);
    expect(place).toMatchObject({ side: 'new', from: 1, to: 30 });
    expect(place?.quote).toHaveLength(10);
    expect(promptOf([{ ...comment(), ...place }], { baseSha: SHA, files: [] })).toContain('> … 20 more lines');
  });

  it('on removed lines only are about the old version', () => {
    const [, removed] = linesOf(hunkAt(5, [' a', '-b', '+c']));
    expect(removed && placeOf('a.ts', [removed])).toMatchObject({ side: 'old', from: 6, to: 6 });
  });

  it('too long for one prompt are refused with what to do', () => {
    expect(promptTooLong('ä'.repeat(PROMPT_MAX_BYTES / 2))).toBeUndefined();
    expect(promptTooLong('ä'.repeat(PROMPT_MAX_BYTES / 2 + 1))).toMatch(/Shorten or delete/);
  });

  it('stay on their line, follow it when it moves, and say so when it is gone', () => {
    expect(anchorOf(comment(), file('a.ts', [' a', '+b']))).toEqual({ hunk: 0, at: 1, moved: false });
    expect(anchorOf(comment(), file('a.ts', [' a', '+new', '+b']))).toEqual({ hunk: 0, at: 2, moved: true });
    expect(anchorOf(comment(), file('a.ts', [' a', '+other']))).toBeUndefined();
  });

  it('appear below their lines, and above the file when it no longer shows them', () => {
    const shown = file('a.ts', [' a', '+b', ' c']);
    expect(kinds(rows([shown], { comments: [comment()] }))).toEqual([
      'file',
      'hunk',
      'line',
      'line',
      'comment',
      'line',
    ]);
    const lost = comment({ quote: ['gone'] });
    expect(rows([shown], { comments: [lost] })[1]).toMatchObject({ kind: 'comment', moved: true });
    expect(kinds(rows([shown], { comments: [comment()], opened: { 'a.ts': false } }))).toEqual(['file', 'comment']);
  });
});

describe('what is shown of a file', () => {
  it.each<[string, DiffFile, RegExp]>([
    ['binary', file('a.png', [], { binary: true }), /binary/],
    ['renamed only', file('b', [], { status: 'renamed', oldPath: 'a' }), /content did not change/],
    ['empty', file('a', [], { status: 'untracked' }), /empty file/],
    ['too long', file('a', [], { truncated: true }), /git diff/],
    ['a repository', file('lib/', [], { truncated: true, status: 'untracked' }), /repository of its own/],
    ['another mode', file('a.sh', []), /mode or type/],
  ])('says why it has no lines: %s', (_, each, why) => {
    const [heading, note, ...rest] = rows([each]);
    expect(heading?.kind).toBe('file');
    expect(note).toMatchObject({ kind: 'note', text: expect.stringMatching(why) });
    expect(rest).toEqual([]);
  });

  it('says that only whitespace changed where that is ignored, and counts anew', () => {
    const each = file('a.ts', [' a', '-b', '+  b']);
    const [heading, note] = rows([each], { whitespace: false });
    expect(heading).toMatchObject({ additions: 0, deletions: 0 });
    expect(note).toMatchObject({ text: 'Only whitespace changed.' });
  });

  it('keeps a large file closed until it is opened, and a viewed one too', () => {
    const large = file(
      'big.json',
      Array.from({ length: LARGE_FILE_LINES + 1 }, (_, at) => `+${at}`),
    );
    expect(rows([large])).toMatchObject([
      { kind: 'file', collapsed: true },
      { kind: 'note', show: true },
    ]);
    expect(rows([large], { opened: { 'big.json': true } })).toHaveLength(LARGE_FILE_LINES + 3);
    const small = file('a.ts', ['+a']);
    expect(kinds(rows([small], { isViewed: () => true }))).toEqual(['file']);
    expect(kinds(rows([small], { isViewed: () => true, opened: { 'a.ts': true } }))).toEqual(['file', 'hunk', 'line']);
  });

  it('says that the rest is missing below the lines of a cut file', () => {
    expect(kinds(rows([file('a.ts', ['+a'], { truncated: true })]))).toEqual(['file', 'hunk', 'line', 'note']);
  });

  it('puts the editor of a comment below its line, in both layouts', () => {
    const each = file('a.ts', [' a', '-b', '+c', ' d']);
    const editor = comment({ side: 'old', quote: ['b'] });
    expect(kinds(rows([each], { editor }))).toEqual(['file', 'hunk', 'line', 'line', 'editor', 'line', 'line']);
    expect(kinds(rows([each], { editor, layout: 'split' }))).toEqual([
      'file',
      'hunk',
      'pair',
      'pair',
      'editor',
      'pair',
    ]);
  });
});

describe('a comment being written', () => {
  const each = file('a.ts', [' a', '+b', ' c']);

  it('takes the place of the comment that it changes', () => {
    expect(kinds(rows([each], { comments: [comment()], editor: comment({ text: 'Why not?' }) }))).toEqual([
      'file',
      'hunk',
      'line',
      'line',
      'editor',
      'line',
    ]);
  });

  it('stays above the file when its lines are gone or closed', () => {
    expect(kinds(rows([each], { editor: comment({ quote: ['gone'] }) }))[1]).toBe('editor');
    expect(kinds(rows([each], { editor: comment(), opened: { 'a.ts': false } }))).toEqual(['file', 'editor']);
  });
});

describe('choosing lines', () => {
  const lines = linesOf(hunkAt(1, [' a', '-b', '+c', ' d']));
  const range = { path: 'a.ts', hunk: 0, from: 3, to: 1, side: undefined };

  it('works upwards as well', () => {
    expect(chosen(lines, range).map(({ text }) => text)).toEqual(['b', 'c', 'd']);
  });

  it('takes one version where both stand beside each other', () => {
    expect(chosen(lines, { ...range, side: 'old' }).map(({ text }) => text)).toEqual(['b', 'd']);
    expect(chosen(lines, { ...range, side: 'new' }).map(({ text }) => text)).toEqual(['c', 'd']);
  });

  it('is nothing once the lines are gone', () => {
    expect(chosen(lines, { ...range, to: 99 })).toEqual([]);
  });
});

describe('what a diff is compared with', () => {
  it('is named where it has a name', () => {
    expect(diffTitle({ base: 'main', baseSha: SHA })).toBe('diffTitle main at 1a2b3c4');
    expect(diffTitle({ base: SHA, baseSha: SHA })).toBe('since 1a2b3c4');
  });
});
