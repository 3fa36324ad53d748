import { expect, test } from 'vitest';
import { fontToFit } from '../../src/terminal/fit-font.ts';
import { executedLines, isReport, sanitizePaste } from '../../src/terminal/input-rules.ts';
import { parseWebUrl } from '../../src/ui/web-url.ts';

test('pasted text loses control characters, but keeps lines and tabs', () => {
  expect(sanitizePaste('a\u001b[201~rm\u0007\tb\r\nc\rd\u009b2J')).toBe('a[201~rm\tb\nc\nd2J');
});

test('lines that would run are counted, without an unfinished last one', () => {
  expect([executedLines('ls'), executedLines('ls\n'), executedLines('a\nb\nc')]).toEqual([0, 1, 2]);
});

test('focus and mouse reports are distinguished from keys', () => {
  for (const report of ['\u001b[I', '\u001b[O', '\u001b[<0;10;5M', '\u001b[<35;1;1m', '\u001b[M !!']) {
    expect(isReport(report), JSON.stringify(report)).toBe(true);
  }
  for (const key of ['I', '\u001b', '\u001b[A', '\u001b[200~x\u001b[201~', '\u001bOP']) {
    expect(isReport(key), JSON.stringify(key)).toBe(false);
  }
});

test('only http and https links can be opened', () => {
  expect(parseWebUrl('https://example.com/a?b=c')?.host).toBe('example.com');
  expect(parseWebUrl('http://bücher.example')?.host).toBe('xn--bcher-kva.example');
  for (const other of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'vscode://x', 'no link']) {
    expect(parseWebUrl(other), other).toBeUndefined();
  }
});

test('a watcher gets the largest font that fits, with characters in whole pixels', () => {
  const screen = { cols: 182, rows: 46 };
  const drawn = (size: number) => ({
    width: screen.cols * Math.floor(size * 0.602),
    height: screen.rows * Math.ceil(size * 1.15),
  });
  const sizes = { smallest: 8, largest: 13 };
  const box = { width: 920, height: 900 };
  for (const now of [8, 9.5, 13]) expect(fontToFit(box, { now, ...sizes }, drawn)).toBe(9.5);
  expect(fontToFit({ width: 100, height: 100 }, { now: 13, ...sizes }, drawn)).toBe(8);
  expect(fontToFit({ width: 5_000, height: 5_000 }, { now: 8, ...sizes }, drawn)).toBe(13);
});

test('a watcher tries few font sizes, because each lays out the page', () => {
  const tried: number[] = [];
  const drawn = (size: number) => {
    tried.push(size);
    return { width: 120 * Math.floor(size * 0.602), height: 40 * Math.ceil(size * 1.15) };
  };
  expect(fontToFit({ width: 380, height: 900 }, { now: 13, smallest: 6, largest: 13 }, drawn)).toBe(6.5);
  expect(tried.length).toBeLessThan(6);
});
