import { expect, it } from 'vitest';
import { ScreenTerminal } from '../../src/screens/terminal.ts';

const ST = '\x1b\\';

/** Returns the console's answers to the queries in a program's output, each with the offset of the end of its query. */
function answersTo(output: string, answers = true): [offset: number, data: string][] {
  const found: [number, string][] = [];
  const onAnswer = ({ offset, data }: { offset: number; data: string }) => found.push([offset, data]);
  const screen = new ScreenTerminal({ cols: 80, rows: 24, offset: 1_000, onAnswer });
  screen.write(Buffer.from(output), answers);
  screen.dispose();
  return found;
}

it.each([
  ['where its cursor is', 'ab\x1b[6n', '\x1b[1;3R'],
  ['whether it is well', '\x1b[5n', '\x1b[0n'],
  ['what it is', '\x1b[c', '\x1b[?1;2c'],
  ['its version', '\x1b[>c', '\x1b[>0;276;0c'],
  ['its number', '\x1b[=c', `\x1bP!|00000000${ST}`],
  ['its name', '\x1b[>q', `\x1bP>|xterm.js(6.0.0)${ST}`],
  ['a mode that is off', '\x1b[?2004$p', '\x1b[?2004;2$y'],
  ['a mode that is on', '\x1b[?2004h\x1b[?2004$p', '\x1b[?2004;1$y'],
  ['a mode that it has not', '\x1b[?9876$p', '\x1b[?9876;0$y'],
  ['its margins', `\x1b[2;5r\x1bP$qr${ST}`, `\x1bP1$r2;5r${ST}`],
  ['its size', '\x1b[18t', '\x1b[8;24;80t'],
  ['its background', `\x1b]11;?${ST}`, `\x1b]11;rgb:1616/1818/1d1d${ST}`],
  ['its background, ended by BEL', '\x1b]11;?\x07', `\x1b]11;rgb:1616/1818/1d1d${ST}`],
  ['a background that was set', `\x1b]11;#102030${ST}\x1b]11;?${ST}`, `\x1b]11;rgb:1010/2020/3030${ST}`],
  ['a colour of the palette', `\x1b]4;1;?${ST}`, `\x1b]4;1;rgb:cccc/0000/0000${ST}`],
  ['a colour of the cube', `\x1b]4;196;?${ST}`, `\x1b]4;196;rgb:ffff/0000/0000${ST}`],
  ['a colour that was set', `\x1b]4;7;rgb:1/2/3${ST}\x1b]4;7;?${ST}`, `\x1b]4;7;rgb:1111/2222/3333${ST}`],
])('a program that asks its terminal for %s is answered', (_, question, answer) => {
  expect(answersTo(question)).toEqual([[1_000 + question.length, answer]]);
  expect(answersTo(question, false)).toEqual([]);
});

it('a query is identified by the offset of its end, however the output is split', () => {
  const output = `one\x1b[6n two\x1b[c\x1b]4;1;?;2;?${ST}three\x1b[5n`;
  const whole = answersTo(output);
  expect(whole.map(([offset]) => offset)).toEqual([1_007, 1_014, 1_027, 1_027, 1_036]);
  for (let cut = 1; cut < output.length; cut += 1) {
    const found: [number, string][] = [];
    const screen = new ScreenTerminal({
      cols: 80,
      rows: 24,
      offset: 1_000,
      onAnswer: ({ offset, data }) => found.push([offset, data]),
    });
    screen.write(Buffer.from(output.slice(0, cut)), true);
    screen.write(Buffer.from(output.slice(cut)), true);
    screen.dispose();
    expect(found).toEqual(whole);
  }
});

it('text that resembles a query is not answered', () => {
  expect(answersTo('[6n \\x1b[c ]11;?\r\n\x1b[?25h\x1b[m\x1b]0;what?\x07')).toEqual([]);
});
