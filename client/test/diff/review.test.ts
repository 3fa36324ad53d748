import { PROMPT_MAX_BYTES } from '@agent-console/shared/limits/texts';
import { describe, expect, it } from 'vitest';
import {
  anchorOf,
  type Comment,
  commentState,
  locationOf,
  promptOf,
  promptTooLong,
} from '../../src/features/diff/comments.ts';
import { diffTitle } from '../../src/features/diff/diff-title.ts';
import { linesOf } from '../../src/features/diff/lines.ts';
import { LARGE_FILE_LINES, type Row, rowsOf } from '../../src/features/diff/rows.ts';
import { selectedLines } from '../../src/features/diff/selection.ts';
import type { DiffFile, Hunk } from '../../src/features/diff/types.ts';
import { contentHash, isViewed, withMark } from '../../src/features/diff/viewed.ts';
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

describe('the state of a comment', () => {
  const sent = { sent: { taskId: 't', at: '2026-01-01T00:00:00Z' } };

  it.each([
    [{}, false, undefined, 'not sent'],
    [{}, true, undefined, 'not sent · the commented lines have changed'],
    [sent, false, undefined, 'sent'],
    [sent, true, undefined, 'sent · the commented lines have changed'],
    [sent, true, 'queued', 'queued'],
    [sent, false, 'running', 'sent · the agent is working on it'],
    [sent, false, 'completed', 'answered · the commented lines are unchanged'],
    [sent, true, 'completed', 'answered · the commented lines have changed'],
    [sent, true, 'failed', 'sent · the task failed'],
  ] as const)('of %o, outdated %s, with a %s task, is shown', (each, isOutdated, status, text) => {
    expect(commentState(each, isOutdated, status && { status })).toBe(text);
  });

  it('is outdated when the lines are no longer in the diff', () => {
    const kept = comment({ id: 'kept', from: 1, to: 1, quote: ['b'] });
    const gone = comment({ id: 'gone', quote: ['other'] });
    const found = rows([file('a.ts', ['+b'])], { comments: [kept, gone] });
    const outdated = found.flatMap((row) => (row.kind === 'comment' ? [[row.comment.id, row.isOutdated]] : []));
    expect(Object.fromEntries(outdated)).toEqual({ kept: false, gone: true });
  });
});

describe('viewed marks', () => {
  const before = file('a.ts', [' a', '+b']);

  it('remain while the file is unchanged, across fetches', () => {
    const marks = withMark({}, before, true, [before]);
    expect(isViewed(structuredClone(before), marks)).toBe(true);
  });

  it.each<[string, DiffFile]>([
    ['its text changes', file('a.ts', [' a', '+c'])],
    ['it moves', { ...before, hunks: [{ ...(before.hunks[0] as Hunk), newStart: 7 }] }],
    ['it is deleted', { ...before, status: 'deleted' }],
  ])('are cleared when %s', (_, after) => {
    expect(isViewed(after, withMark({}, before, true, [before]))).toBe(false);
  });

  it('are dropped for files that are no longer changed', () => {
    const other = file('b.ts', ['+x']);
    const marks = withMark({}, other, true, [before, other]);
    expect(withMark(marks, before, true, [before])).toEqual({ 'a.ts': contentHash(before) });
    expect(withMark(marks, other, false, [before, other])).toEqual({});
  });
});

describe('comments', () => {
  it('give location and quote, in file order', () => {
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
        '2 comments on your changes since 1a2b3c4d5e. Please address each comment.',
        '',
        'a.ts:7 (in the old version)',
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

  it('quote the beginning of a long range and the number of further lines', () => {
    for (const [count, further] of [
      [30, '20 more lines'],
      [11, '1 more line'],
    ] as const) {
      const added = Array.from({ length: count }, (_, at) => `+${at}`);
      const location = locationOf('a.ts', linesOf(hunkAt(1, added)));
      expect(location).toMatchObject({ side: 'new', from: 1, to: count });
      expect(location?.quote).toHaveLength(10);
      const prompt = promptOf([{ ...comment(), ...location }], { baseSha: SHA, files: [] });
      expect(prompt).toContain(`> … ${further}\n`);
    }
  });

  it('on removed lines refer to the old version', () => {
    const [, removed] = linesOf(hunkAt(5, [' a', '-b', '+c']));
    expect(removed && locationOf('a.ts', [removed])).toMatchObject({ side: 'old', from: 6, to: 6 });
  });

  it('too long for one prompt are rejected with advice', () => {
    expect(promptTooLong('ä'.repeat(PROMPT_MAX_BYTES / 2))).toBeUndefined();
    expect(promptTooLong('ä'.repeat(PROMPT_MAX_BYTES / 2 + 1))).toMatch(/Shorten or delete/);
  });

  it('stay on their line, follow it when it moves, and are orphaned when it is gone', () => {
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

describe('the rows of a file', () => {
  it.each<[string, DiffFile, RegExp]>([
    ['binary', file('a.png', [], { binary: true }), /Binary/],
    ['renamed only', file('b', [], { status: 'renamed', oldPath: 'a' }), /content unchanged/],
    ['empty', file('a', [], { status: 'untracked' }), /Empty file/],
    ['too long', file('a', [], { truncated: true }), /git diff/],
    ['a repository', file('lib/', [], { truncated: true, status: 'untracked' }), /Nested git repository/],
    ['another mode', file('a.sh', []), /mode or type/],
  ])('explain missing lines: %s', (_, each, why) => {
    const [heading, note, ...rest] = rows([each]);
    expect(heading?.kind).toBe('file');
    expect(note).toMatchObject({ kind: 'note', text: expect.stringMatching(why) });
    expect(rest).toEqual([]);
  });

  it('report whitespace-only changes when those are hidden, and count again', () => {
    const each = file('a.ts', [' a', '-b', '+  b']);
    const [heading, note] = rows([each], { whitespace: false });
    expect(heading).toMatchObject({ additions: 0, deletions: 0 });
    expect(note).toMatchObject({ text: 'Only whitespace changes.' });
  });

  it('are collapsed for large and viewed files until expanded', () => {
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

  it('note the missing rest of a truncated file', () => {
    expect(kinds(rows([file('a.ts', ['+a'], { truncated: true })]))).toEqual(['file', 'hunk', 'line', 'note']);
  });

  it('include the editor below its line, in both layouts', () => {
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

  it('replaces the comment being edited', () => {
    expect(kinds(rows([each], { comments: [comment()], editor: comment({ text: 'Why not?' }) }))).toEqual([
      'file',
      'hunk',
      'line',
      'line',
      'editor',
      'line',
    ]);
  });

  it('stays above the file when its lines are gone or collapsed', () => {
    expect(kinds(rows([each], { editor: comment({ quote: ['gone'] }) }))[1]).toBe('editor');
    expect(kinds(rows([each], { editor: comment(), opened: { 'a.ts': false } }))).toEqual(['file', 'editor']);
  });
});

describe('selecting lines', () => {
  const lines = linesOf(hunkAt(1, [' a', '-b', '+c', ' d']));
  const range = { path: 'a.ts', hunk: 0, from: 3, to: 1, side: undefined };

  it('works upwards as well', () => {
    expect(selectedLines(lines, range).map(({ text }) => text)).toEqual(['b', 'c', 'd']);
  });

  it('selects one version in the split layout', () => {
    expect(selectedLines(lines, { ...range, side: 'old' }).map(({ text }) => text)).toEqual(['b', 'd']);
    expect(selectedLines(lines, { ...range, side: 'new' }).map(({ text }) => text)).toEqual(['c', 'd']);
  });

  it('is empty once the lines are gone', () => {
    expect(selectedLines(lines, { ...range, to: 99 })).toEqual([]);
  });
});

describe('the title of a diff', () => {
  it('names the base branch, or its commit if the branch is not known', () => {
    expect(diffTitle({ base: 'main', baseSha: SHA }, null)).toBe('against main at 1a2b3c4');
    expect(diffTitle({ base: SHA, baseSha: SHA }, 'main')).toBe('against main at 1a2b3c4');
    expect(diffTitle({ base: SHA, baseSha: SHA }, null)).toBe('since 1a2b3c4');
  });
});
