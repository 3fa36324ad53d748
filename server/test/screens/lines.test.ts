import { SCREEN_RENDER_HISTORY_LINES } from '@agent-console/shared/limits/screens';
import { describe, expect, it } from 'vitest';
import { renderLines } from '../../src/screens/lines.ts';

const COLS = 10;
const ROWS = 4;
const STORED = SCREEN_RENDER_HISTORY_LINES + ROWS;

const rendered = (data: string, { lead = '', ended = true } = {}) =>
  renderLines({ lead: Buffer.from(lead), data: Buffer.from(data), cols: COLS, rows: ROWS, ended });

describe('output as lines', () => {
  it('does not repeat old output at its end when the oldest stored row continues a line', () => {
    const lines = ['wrapped into several rows', ...Array.from({ length: STORED - 1 }, (_, n) => `line ${n}`)];
    expect(rendered(lines.join('\r\n'))).toBe(lines.join('\n'));
  });

  it.each([
    ['whole', ''],
    ['from the place at which the page before it ends', `before\r\n${'0123456789'.repeat(STORED)}`],
  ])('contains a line of more rows than the terminal stores %s', (_, lead) => {
    const long = 'abcdefghij'.repeat(3 * STORED);
    expect(rendered(`${long}\x1b[31m\r\nafter`, { lead })).toBe(`${long}\nafter`);
    expect(rendered(`${long}\x1b[31m\r\nafter`, { lead, ended: false })).toBe(`${long}\n`);
    expect(rendered(long, { lead })).toBe(long);
    expect(rendered(long, { lead, ended: false })).toBe('');
  });

  it('ends a line that has partly scrolled out when the program erases the rest of it', () => {
    const output = `${'abcdefghij'.repeat(ROWS)}x\x1b[H\x1b[2Jnext\r\n${'more\r\n'.repeat(ROWS)}end`;
    expect(rendered(output)).toBe(`abcdefghij\nnext\n${'more\n'.repeat(ROWS)}end`);
  });
});
