import { describe, expect, it } from 'vitest';
import { heightOf, lineLayout } from '../../src/features/diff/heights.ts';
import type { Row } from '../../src/features/diff/rows.ts';

const rowOf = (text: string): Row => ({
  kind: 'line',
  file: 0,
  hunk: 0,
  line: { at: 0, kind: 'added', text, old: undefined, new: 1, noNewline: false },
});

const given = { width: 600, character: 7, digits: 1, split: false };
const desktop = lineLayout({ ...given, isPhone: false });
const phone = lineLayout({ ...given, isPhone: true });

describe('heights of rows', () => {
  it('follow the number of columns each time it changes', () => {
    const row = rowOf('x'.repeat(100));
    const heights = [200, 50, 25, 50, 200].map((columns) => heightOf(row, { ...desktop, columns }).height);
    expect(heights).toEqual([20, 40, 80, 40, 20]);
  });

  it('are larger on a phone, also for a line whose height was known', () => {
    const row = rowOf('x'.repeat(100));
    const heights = [desktop, phone, desktop].map((layout) => heightOf(row, { ...layout, columns: 50 }).height);
    expect(heights).toEqual([40, 48, 40]);
    expect(phone.numberPx).toBe(40);
    expect(phone.columns).toBeLessThan(desktop.columns);
  });

  it('are measured for text that may be wide', () => {
    expect(heightOf(rowOf('x'.repeat(30)), { ...desktop, columns: 40 }).isExact).toBe(true);
    expect(heightOf(rowOf('漢'.repeat(30)), { ...desktop, columns: 40 }).isExact).toBe(false);
  });
});
