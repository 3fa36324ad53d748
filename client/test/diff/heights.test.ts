import { describe, expect, it } from 'vitest';
import { heightOf } from '../../src/features/diff/heights.ts';
import type { Row } from '../../src/features/diff/rows.ts';

const rowOf = (text: string): Row => ({
  kind: 'line',
  file: 0,
  hunk: 0,
  line: { at: 0, kind: 'added', text, old: undefined, new: 1, noNewline: false },
});

describe('heights of rows', () => {
  it('follow the number of columns each time it changes', () => {
    const row = rowOf('x'.repeat(100));
    const heights = [200, 50, 25, 50, 200].map((columns) => heightOf(row, columns).height);
    expect(heights).toEqual([20, 40, 80, 40, 20]);
  });

  it('are measured for text that may be wide', () => {
    expect(heightOf(rowOf('x'.repeat(30)), 40).isExact).toBe(true);
    expect(heightOf(rowOf('漢'.repeat(30)), 40).isExact).toBe(false);
  });
});
