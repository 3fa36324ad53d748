import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOscScanner, type StatusEvent } from '../../src/activity/osc-scanner.ts';
import { codePoint } from '../support/text.ts';

const RUNS = process.env.LONG ? 5_000 : 300;

const scan = (text: string | Buffer): StatusEvent[] => createOscScanner().push(Buffer.from(text as string));

/** Pieces of terminal output that together reach every state of the scanner. */
const piece = fc.oneof(
  fc.constantFrom(
    '\x1b',
    '\x07',
    '\x1b\\',
    '\x18',
    '\x1a',
    '\x1b]',
    '\x1bP',
    '\x1b_',
    '\x1b^',
    '\x1bX',
    '\x1b[31m',
    '\x1b[?2004h',
    '0;title ü漢🙂',
    '2;other',
    '9;4;3;',
    '9;4;0',
    '9;done',
    '777;notify;a;b',
    '\x1b]0;whole\x07',
    '\x1b]9;4;1;50\x1b\\',
    'plain text\r\n',
    '漢字 朜',
  ),
  fc.string({ unit: codePoint, maxLength: 20 }),
);
const output = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((pieces) => Buffer.from(pieces.join(''))),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

/** Cuts a buffer at these positions, each taken modulo the buffer's length plus 1. */
const cut = (bytes: Buffer, host: number[]): Buffer[] => {
  const sorted = [0, ...host.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
};

describe('scanning terminal output for signals', () => {
  it.each<[string, string, unknown[]]>([
    ['a title ended by BEL', '\x1b]0;hello\x07', [{ type: 'title', title: 'hello', offset: 10 }]],
    ['a title ended by ST', 'ab\x1b]2;hello\x1b\\c', [{ type: 'title', title: 'hello', offset: 13 }]],
    ['an empty title', '\x1b]0;\x07', [{ type: 'title', title: '', offset: 5 }]],
    ['a title with semicolons', '\x1b]0;a;b;c\x07', [{ type: 'title', title: 'a;b;c', offset: 10 }]],
    ['a title whose bytes look like 8-bit controls', '\x1b]0;朜🐝\x07', [{ type: 'title', title: '朜🐝', offset: 12 }]],
    ['no controls in a title', '\x1b]0;a\tb\u0085c\u202ed\x07', [{ type: 'title', title: 'abcd', offset: 15 }]],
    ['busy progress', '\x1b]9;4;3;\x07', [{ type: 'progress', state: 3, percent: null, offset: 9 }]],
    ['progress in percent', '\x1b]9;4;1;42\x07', [{ type: 'progress', state: 1, percent: 42, offset: 11 }]],
    [
      'progress that ended, in its short form',
      '\x1b]9;4;0\x07',
      [{ type: 'progress', state: 0, percent: null, offset: 8 }],
    ],
    [
      'a notification',
      '\x1b]9;build done\x07',
      [{ type: 'notification', title: null, text: 'build done', offset: 15 }],
    ],
    [
      'a titled notification',
      '\x1b]777;notify;T;a;b\x07',
      [{ type: 'notification', title: 'T', text: 'a;b', offset: 19 }],
    ],
    ['a bell', 'x\x07', [{ type: 'bell', offset: 2 }]],
    ['a bell inside a control sequence', '\x1b[3\x071m', [{ type: 'bell', offset: 4 }]],
    [
      'what a nested multiplexer passes on',
      '\x1bPtmux;\x1b\x1b]9;4;3;\x07\x1b\\',
      [{ type: 'progress', state: 3, percent: null, offset: 17 }],
    ],
    [
      'a title that begins where another one was cut off',
      '\x1b]0;lost\x1b]0;kept\x07',
      [{ type: 'title', title: 'kept', offset: 17 }],
    ],
  ])('finds %s', (_, bytes, events) => {
    expect(scan(bytes)).toEqual(events);
  });

  it.each([
    ['another command', '\x1b]8;;http://localhost\x07\x1b]52;c;aGk=\x07\x1b]133;A\x07\x1b]10;?\x1b\\'],
    ['progress with an unknown state', '\x1b]9;4;7;\x07\x1b]9;4;x\x07\x1b]9;4\x07'],
    ["ConEmu's other commands", '\x1b]9;1;100\x07\x1b]9;9;"/tmp"\x07\x1b]9;12\x07'],
    ['a title aborted by CAN, SUB or an escape sequence', '\x1b]0;a\x18\x1b]0;b\x1a\x1b]0;c\x1b[m'],
    ['a title inside a string', '\x1bPq]0;x\x07\x1b\\ \x1b_]0;x\x07\x1b\\ \x1b^]0;x\x07\x1b\\ \x1bX]0;x\x07\x1b\\'],
    [
      '8-bit introducers, which are halves of letters in UTF-8',
      Buffer.from([0x9d, 0x30, 0x3b, 0x78, 0x9c, 0xe6, 0x9c, 0x90]),
    ],
    ['a title without a number or an end', '\x1b];x\x07\x1b]0\x07\x1b]0;unfinished'],
  ])('finds nothing in %s', (_, bytes) => {
    expect(scan(bytes as string)).toEqual([]);
  });

  it('skips a sequence that is too long and continues after it', () => {
    const long = 'x'.repeat(5_000);
    expect(scan(`\x1b]0;${long}\x07\x1b]0;short\x07\x1bP${long}\x1b\\\x07`)).toEqual([
      { type: 'title', title: 'short', offset: 5_005 + 10 },
      { type: 'bell', offset: 5_015 + 5_005 },
    ]);
  });

  it('cuts a long title between characters', () => {
    const [event] = scan(`\x1b]0;${'a'.repeat(499)}🙂🙂\x07`);
    expect(event).toMatchObject({ type: 'title', title: 'a'.repeat(499) });
  });

  it('finds the same signals however the bytes are split', () => {
    fc.assert(
      fc.property(output, fc.array(fc.nat(), { maxLength: 40 }), (bytes, host) => {
        const scanner = createOscScanner();
        const events = cut(bytes, host).flatMap((chunk) => scanner.push(chunk));
        expect(events).toEqual(scan(bytes));
        expect(scanner.offset).toBe(bytes.length);
      }),
      { numRuns: RUNS },
    );
  });

  it('finds the same signals in single bytes', () => {
    fc.assert(
      fc.property(output, (bytes) => {
        const scanner = createOscScanner();
        expect([...bytes].flatMap((byte) => scanner.push(Buffer.of(byte)))).toEqual(scan(bytes));
      }),
      { numRuns: RUNS },
    );
  });

  it('finds exactly the remaining signals after a restart at its safe offset', () => {
    fc.assert(
      fc.property(output, fc.nat(), (bytes, place) => {
        const first = createOscScanner();
        const before = first.push(bytes.subarray(0, place % (bytes.length + 1)));
        expect(first.safeOffset).toBeLessThanOrEqual(first.offset);
        const second = createOscScanner({ offset: first.safeOffset });
        expect([...before, ...second.push(bytes.subarray(first.safeOffset))]).toEqual(scan(bytes));
      }),
      { numRuns: RUNS },
    );
  });

  it('uses no more memory after endless unfinished sequences', () => {
    const scanner = createOscScanner();
    const chunk = Buffer.from(`\x1b]0;${'x'.repeat(1_000_000)}`);
    scanner.push(chunk);
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 200; count += 1) scanner.push(chunk.subarray(4));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    expect(scanner.safeOffset).toBe(0);
    expect(scanner.push(Buffer.from('\x07\x07'))).toEqual([{ type: 'bell', offset: 201 * 1_000_000 + 6 }]);
  });
});
