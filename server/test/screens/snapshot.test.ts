import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { coreOf } from '../../src/screens/internals.ts';
import { ScreenTerminal } from '../../src/screens/terminal.ts';
import { linesOf, linksOf, shownBy } from './state.ts';

/** Creates a terminal configured like that of the web page, but without a window. */
function page(cols: number, rows: number): Terminal {
  const terminal = new Terminal({ cols, rows, scrollback: 100, allowProposedApi: true, logLevel: 'off' });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  return terminal;
}

const written = (terminal: Terminal, data: string) =>
  new Promise<Terminal>((resolve) => terminal.write(data, () => resolve(terminal)));

/** Creates two terminals of a page, one given all of the output (`live`) and one given a snapshot of it (`joined`). */
async function shownTwice(output: string) {
  const screen = new ScreenTerminal({ cols: 40, rows: 8, offset: 0 });
  screen.write(Buffer.from(output));
  const live = await written(page(40, 8), output);
  const joined = await written(page(40, 8), screen.snapshot(100).data);
  return { screen, live, joined };
}

describe('a snapshot of a screen', () => {
  it.each([
    ['emoji', '🌍 one 🚀🚀 two\r\n⚡ three ✅\x1b[44m🔥\x1b[0m|'],
    ['wide characters at the edge', `${'日本語'.repeat(14)}|\r\n한글|`],
    ['wide characters half written over', `${' '.repeat(38)}日\x1b[?7l\x1b[31mxyz\x1b[?7h\r\n|`],
    ['marks that join', 'e\u0301a\u0308|n\u0303\r\nก็|❤️|☁︎|'],
    ['emoji of several characters', '👩‍👩‍👧|🏳️‍🌈|👍🏽|🇩🇪|1️⃣|'],
  ])('has the same columns as a page for %s', async (_, output) => {
    const { screen, live, joined } = await shownTwice(output);
    expect(linesOf(live)).toEqual(linesOf(screen.terminal));
    expect(shownBy(joined, 100)).toEqual(shownBy(live, 100));
    expect(screen.view(0, 'text').cursor.x).toBe(live.buffer.active.cursorX);
  });

  it.each([
    ['on the alternate screen', '\x1b[?1049habcdefgh\r\n'],
    ['below a full history', `abcdefgh${'\r\n'.repeat(5)}`],
  ])('draws an inverse blank in the last cell %s whose first line continues a dropped line', async (_, output) => {
    const screen = new ScreenTerminal({ cols: 6, rows: 2, offset: 0, history: 4 });
    // Writing `x` over the first half of the wide character leaves a blank in the style of `x` in the last column.
    screen.write(Buffer.from(`${output}abcd日\x1b[2;5H\x1b[7mx`));
    expect(linesOf(screen.terminal).at(-1)).toMatch(/\|x:67108864,[\d,]+\|:67108864,[\d,]+$/);
    const joined = await written(page(6, 2), screen.snapshot(4).data);
    expect(shownBy(joined, 4)).toEqual(shownBy(screen.terminal, 4));
  });

  it.each(['', '?'])('is correct after everything up to the very last cell was erased (%s1J)', (prefix) => {
    const screen = new ScreenTerminal({ cols: 10, rows: 3, offset: 0 });
    screen.write(Buffer.from(`\x1b[?1049hold\x1b[3;10Hx\x1b[3;10H\x1b[${prefix}1J\x1b[Hnew`));
    expect(screen.view(0, 'text').text).toBe('new');
  });

  it.each([
    ...[...'LMSTIZ'].map((final) => `\x1b[3;12H\x1b[4000${final}`),
    ...['a', '日', 'e\u0301', '\x1b[?7la', '\x1b[4h日', '\x1b[3;5r\x1b[4Ha'].map((text) => `${text}\x1b[12345b`),
  ])('is that of a page after a large count (%j)', async (sequence) => {
    const before = Array.from({ length: 12 }, (_, n) => `line ${n}`).join('\r\n');
    for (const [cols, rows] of [
      [40, 8],
      [11, 8],
    ] as const) {
      const screen = new ScreenTerminal({ cols, rows, offset: 0, history: 100 });
      screen.write(Buffer.from(before + sequence));
      const live = await written(page(cols, rows), before + sequence);
      expect(shownBy(screen.terminal, 100)).toEqual(shownBy(live, 100));
      expect(coreOf(screen.terminal).buffer.x).toBe(coreOf(live).buffer.x);
    }
  });

  it('preserves its last rows when the rewrapped lines above exceed the history', () => {
    // Each number of lines makes the terminal's ring buffer of lines begin at a different position.
    for (let lines = 10; lines < 20; lines += 1) {
      const screen = new ScreenTerminal({ cols: 6, rows: 3, offset: 0, history: 4 });
      screen.write(Buffer.from(`${'abcdef\r\n'.repeat(lines)}x\r\ny\r\nz`));
      screen.resize(2, 3);
      expect(screen.view(0, 'text').text).toBe('x\ny\nz');
      screen.dispose();
    }
  });

  it('continues after output that makes the terminal fail, and reports that output may be missing', async () => {
    const faults: { offset: number; message: string }[] = [];
    const screen = new ScreenTerminal({ cols: 10, rows: 3, offset: 0, onFault: (fault) => faults.push(fault) });
    screen.terminal.parser.registerCsiHandler({ final: 'y' }, () => {
      throw new Error('a fault of the terminal');
    });
    screen.write(Buffer.from('one\x1b[ytwo'));
    screen.write(Buffer.from('\r\nthree'));
    expect(screen.view(0, 'text')).toMatchObject({ text: 'one\nthree', complete: false });
    expect(faults).toEqual([{ offset: 9, message: expect.stringContaining('a fault of the terminal') }]);
    screen.write(Buffer.from('\x1b[H\x1b[2Jfour'));
    expect(screen.view(0, 'text')).toMatchObject({ text: 'four', complete: true });
  });

  it('includes the links', async () => {
    const link = (id: string, label: string) => `\x1b]8;${id};https://example.com/${label}\x1b\\${label}\x1b]8;;\x07`;
    const { live, joined } = await shownTwice(
      `${link('', 'one')} ${link('id=x', 'two')}\r\n\x1b[31m${link('id=x', 'two')} ${link('', 'long'.repeat(20))}`,
    );
    expect(linksOf(live)).toHaveLength(3 + 3 + 3 + 80);
    expect(linksOf(joined)).toEqual(linksOf(live));
  });

  it.each([
    ['clipboard', '\x1b]52;c;', '\x07'],
    ['image', '\x1bPq', '\x1b\\'],
    ['private message', '\x1b_', '\x1b\\'],
    ['row of parameters', '\x1b[', 'm'],
  ])('in the middle of a long %s makes a viewer skip its rest and no more', async (_, begin, end) => {
    const screen = new ScreenTerminal({ cols: 40, rows: 8, offset: 0 });
    screen.write(Buffer.from(`before${begin}${'1'.repeat(20_000)}`));
    const joined = await written(page(40, 8), screen.snapshot(0).data);
    await written(joined, `${'1'.repeat(100)}${end}after`);
    expect(joined.buffer.active.getLine(0)?.translateToString(true)).toBe('beforeafter');
  });
});
