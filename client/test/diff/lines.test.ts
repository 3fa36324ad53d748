import { describe, expect, it } from 'vitest';
import { shownText } from '../../src/features/diff/line-text.ts';
import {
  changedPart,
  counterparts,
  linesOf,
  pairsOf,
  withoutWhitespaceChanges,
} from '../../src/features/diff/lines.ts';
import type { Hunk } from '../../src/features/diff/types.ts';

function hunk(lines: readonly string[], start = 10): Hunk {
  const old = lines.filter((line) => /^[ -]/.test(line)).length;
  const fresh = lines.filter((line) => /^[ +]/.test(line)).length;
  return { oldStart: start, oldLines: old, newStart: start, newLines: fresh, header: '@@', lines: [...lines] };
}

const described = (lines: ReturnType<typeof linesOf>) =>
  lines.map(({ kind, old, new: fresh, text }) => `${kind} ${old ?? '-'} ${fresh ?? '-'} ${text}`);

describe('the lines of a hunk', () => {
  it('have the numbers of both versions', () => {
    expect(described(linesOf(hunk([' a', '-b', '+c', '+d', ' e'])))).toEqual([
      'same 10 10 a',
      'removed 11 - b',
      'added - 11 c',
      'added - 12 d',
      'same 12 13 e',
    ]);
  });

  it('know where a file ends without a newline', () => {
    const lines = linesOf(hunk(['-a', '\\ No newline at end of file', '+a']));
    expect(lines.map(({ noNewline }) => noNewline)).toEqual([true, false]);
  });

  it('are paired with their replacements', () => {
    const pairs = pairsOf(linesOf(hunk([' a', '-b', '-c', '+d', ' e', '+f'])));
    expect(pairs.map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['a', 'a'],
      ['b', 'd'],
      ['c', undefined],
      ['e', 'e'],
      [undefined, 'f'],
    ]);
  });

  it('have counterparts only where as many were removed as added', () => {
    const even = linesOf(hunk(['-a', '-b', '+c', '+d']));
    expect(even.map((line) => counterparts(even).get(line)?.text)).toEqual(['c', 'd', 'a', 'b']);
    const uneven = linesOf(hunk(['-a', '+c', '+d']));
    expect(counterparts(uneven).size).toBe(0);
  });
});

describe('ignoring whitespace', () => {
  it('shows a line that was only indented as unchanged, with both its numbers and its new text', () => {
    const lines = withoutWhitespaceChanges(linesOf(hunk([' {', '-return 1;', '+  return 1;', ' }'])));
    expect(described(lines)).toEqual(['same 10 10 {', 'same 11 11   return 1;', 'same 12 12 }']);
  });

  it('keeps changed lines among reindented ones, in order', () => {
    const lines = withoutWhitespaceChanges(linesOf(hunk(['-a', '-b', '-c', '+  a', '+  x', '+  c'])));
    expect(described(lines)).toEqual(['same 10 10   a', 'removed 11 - b', 'added - 11   x', 'same 12 12   c']);
  });

  it('treats a different line end as unchanged', () => {
    expect(withoutWhitespaceChanges(linesOf(hunk(['-a\r', '+a']))).map(({ kind }) => kind)).toEqual(['same']);
  });

  it('keeps every line of a block too long to compare in full', () => {
    const many = Array.from({ length: 300 }, (_, at) => `line ${at}`);
    const lines = withoutWhitespaceChanges(
      linesOf(hunk([...many.map((each) => `-${each}`), ...many.map((each) => `+ ${each}`)])),
    );
    expect(lines).toHaveLength(300);
    expect(lines.every(({ kind }) => kind === 'same')).toBe(true);
  });
});

describe('the changed part of a line', () => {
  it('is whole words', () => {
    const text = 'const total = sum + shipping;';
    const part = changedPart(text, 'const total = sum + shippingCost;');
    expect(part && text.slice(part.from, part.to)).toBe('shipping');
  });

  it('is not marked where most of the line changed', () => {
    expect(changedPart('completely different', 'x = 1')).toBeUndefined();
  });

  it('is undefined for a line that only lost text', () => {
    expect(changedPart('a b', 'a x b')).toBeUndefined();
  });
});

describe('file text', () => {
  it('has hidden and reordering characters escaped', () => {
    const text = 'a\u202eb\u200bc\u0007d\te';
    const line = { kind: 'same', old: 1, new: 1, text, noNewline: false, at: 0 } as const;
    expect(shownText(line)).toBe('a‹U+202E›b‹U+200B›c‹U+0007›d\te');
  });
});
