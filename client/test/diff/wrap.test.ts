import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breaksOf } from '../../src/features/diff/wrap.ts';

const rowsOf = (text: string, columns: number) => {
  let from = 0;
  return (breaksOf(text, columns) ?? []).map((end) => {
    const row = text.slice(from, end);
    from = end;
    return row;
  });
};
const columnsOf = (row: string) => {
  let columns = 0;
  for (const each of row) columns += each === '\t' ? 4 - (columns % 4) : 1;
  return columns;
};

describe('a line wider than the page', () => {
  it('is broken after spaces and punctuation', () => {
    expect(rowsOf('const total = sum(a, b);', 16)).toEqual(['const total = ', 'sum(a, b);']);
    expect(rowsOf('a-very-long-name', 12)).toEqual(['a-very-long-', 'name']);
  });

  it('is broken anywhere where that would leave most of a row empty', () => {
    expect(rowsOf(`a ${'x'.repeat(20)}`, 12)).toEqual(['a xxxxxxxxxx', 'xxxxxxxxxx']);
  });

  it('fits row by row, and loses nothing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('\t', ' ', 'a', 'b', ',', '('), maxLength: 200 }),
        fc.integer({ min: 10, max: 60 }),
        (text, columns) => {
          const rows = rowsOf(text, columns);
          expect(rows.join('')).toBe(text);
          expect(rows.length).toBeGreaterThan(0);
          for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it('is left to the browser if characters may be wider than a column', () => {
    expect(breaksOf('漢字', 10)).toBeUndefined();
  });
});
