import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TerminalState } from '../../src/screens/checkpoint.ts';
import { ScreenTerminal } from '../../src/screens/terminal.ts';
import { shownBy, stateOf } from './state.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.RUNS ?? (process.env.LONG ? 20_000 : 100));

const CSI = '\x1b[';
const n = (max: number) => fc.integer({ min: 0, max });
const csi = (final: string, ...limits: number[]) =>
  fc.tuple(...limits.map(n)).map((params) => `${CSI}${params.join(';')}${final}`);

const text = fc.string({
  unit: fc.constantFrom(...'abcdefgh  XYZ019~|', ...'ä€日本語한\t', 'e\u0301', '🌍'),
  maxLength: 60,
});
const lines = fc.array(text, { maxLength: 8 }).map((parts) => parts.join('\r\n'));
const style = fc.oneof(
  fc
    .constantFrom(
      '',
      '0',
      '1',
      '2',
      '3',
      '4',
      '4:3',
      '4:5',
      '5',
      '7',
      '8',
      '9',
      '21',
      '22',
      '24',
      '27',
      '53',
      '31',
      '42',
      '97',
      '103',
      '39',
      '49',
    )
    .map((code) => `${CSI}${code}m`),
  n(255).map((index) => `${CSI}38;5;${index};48;5;${255 - index}m`),
  fc.tuple(n(255), n(255)).map(([r, g]) => `${CSI}38;2;${r};${g};9;4:2;58:2::${g}:${r}:1m`),
  fc.constantFrom(`${CSI}1"q`, `${CSI}0"q`),
);
const links = fc
  .tuple(fc.constantFrom(';https://example.com/a', 'id=x;https://example.com/b'), style, text)
  .map(([link, look, label]) => `\x1b]8;${link}\x1b\\${look}${label}\x1b]8;;\x07`);
const moves = fc.oneof(
  csi('H', 30, 50),
  csi('A', 12),
  csi('B', 12),
  csi('C', 30),
  csi('D', 30),
  csi('G', 50),
  csi('d', 20),
  csi('E', 4),
  csi('F', 4),
  fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    '\b',
    '\t',
    '\x1bM',
    '\x1bD',
    '\x1bE',
    '\x1b7',
    '\x1b8',
    `${CSI}s`,
    `${CSI}u`,
    `${CSI}Z`,
  ),
);
const edits = fc.oneof(
  csi('J', 3),
  csi('K', 2),
  csi('X', 20),
  csi('P', 9),
  csi('@', 9),
  csi('L', 5),
  csi('M', 5),
  csi('S', 5),
  csi('T', 5),
  csi('b', 5),
  csi('?J', 2).map((s) => s.replace('[', '[?').replace('?J', 'J')),
);
const modes = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(1, 6, 9, 12, 25, 45, 47, 66, 1000, 1002, 1003, 1004, 1006, 1016, 1047, 1048, 1049, 2004, 2026),
      fc.constantFrom('h', 'l'),
    )
    .map(([mode, how]) => `${CSI}?${mode}${how}`),
  fc.tuple(fc.constantFrom(4, 20), fc.constantFrom('h', 'l')).map(([mode, how]) => `${CSI}${mode}${how}`),
  csi('r', 12, 24),
  csi(' q', 6),
  fc.constantFrom(
    '\x1b(0',
    '\x1b(B',
    '\x1b)0',
    '\x1b)A',
    '\x0e',
    '\x0f',
    '\x1bn',
    '\x1bH',
    `${CSI}g`,
    `${CSI}3g`,
    '\x1b=',
    '\x1b>',
    `${CSI}!p`,
    '\x1bc',
    '\x1b#8',
    '\x18',
    '\x1b]2;a title\x07',
    '\x1b]11;#102030\x1b\\',
    '\x1bP$qm\x1b\\',
  ),
);
/**
 * Text that is printed while wrapping is turned off. It has no wide characters: half of one at the edge could be
 * overwritten while the other half is moved. No output recreates this state, so a checkpoint cannot restore it.
 */
const unwrapped = fc
  .string({ unit: fc.constantFrom(...'abc XYZ'), maxLength: 60 })
  .map((line) => `\r${CSI}?7l${line}${CSI}?7h`);
/** Prints a wide character in the last two columns, and then overwrites its first half with another character. */
const halved = style.map((look) => `${CSI}999G\b日${look}${CSI}999G\bx`);
const token = fc.oneof(
  { weight: 6, arbitrary: lines },
  { weight: 3, arbitrary: text },
  { weight: 3, arbitrary: style },
  { weight: 1, arbitrary: links },
  { weight: 1, arbitrary: unwrapped },
  { weight: 1, arbitrary: halved },
  { weight: 3, arbitrary: moves },
  { weight: 2, arbitrary: edits },
  { weight: 2, arbitrary: modes },
);
const size = fc.record({ cols: fc.integer({ min: 2, max: 60 }), rows: fc.integer({ min: 2, max: 24 }) });
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('print' as const),
      tokens: fc.array(token, { minLength: 1, maxLength: 8 }),
      cut: fc.nat(),
    }),
  },
  { weight: 2, arbitrary: size.map((to) => ({ do: 'resize' as const, ...to })) },
  { weight: 3, arbitrary: fc.constant({ do: 'store' as const }) },
);

const HISTORY = 30;
/**
 * Maximum time of all runs in milliseconds. It also limits the shrinking of a failing case, which would not end by
 * itself.
 */
const LIMIT_MS = process.env.LONG ? 1_800_000 : 50_000;

it(`a restored screen continues exactly like the original (seed ${SEED})`, { timeout: 2 * LIMIT_MS }, () => {
  fc.assert(
    fc.property(size, fc.array(step, { minLength: 2, maxLength: 25 }), (first, steps) => {
      const whole = new ScreenTerminal({ ...first, offset: 0, history: HISTORY });
      let rebuilt = new ScreenTerminal({ ...first, offset: 0, history: HISTORY });
      let log = Buffer.alloc(0);
      for (const each of steps) {
        if (each.do === 'print') {
          const data = Buffer.from(each.tokens.join(''));
          log = Buffer.concat([log, data]);
          whole.write(data);
          // The rebuilt screen gets the same output in two parts, cut at a random place.
          const cut = data.length === 0 ? 0 : each.cut % data.length;
          rebuilt.write(data.subarray(0, cut));
          if (each.cut % 3 === 0) rebuilt = restored(rebuilt, log.subarray(0, log.length - data.length + cut));
          rebuilt.write(data.subarray(cut));
        } else if (each.do === 'resize') {
          whole.resize(each.cols, each.rows);
          rebuilt.resize(each.cols, each.rows);
        } else {
          rebuilt = restored(rebuilt, log);
        }
        expect(rebuilt.next).toBe(whole.next);
      }
      rebuilt = restored(rebuilt, log);
      expect(stateOf(rebuilt.terminal)).toEqual(stateOf(whole.terminal));
      // A viewer that gets only the snapshot's escape sequences draws the same screen, however much history it
      // requests.
      const lines = steps.length % 2 === 0 ? HISTORY : 0;
      const { data, ...at } = whole.snapshot(lines);
      const viewer = new ScreenTerminal({ ...at, history: HISTORY });
      viewer.write(Buffer.from(data));
      expect(shownBy(viewer.terminal, HISTORY)).toEqual(shownBy(whole.terminal, lines));
      expect({ ...viewer.view(lines, 'text'), offset: at.offset }).toEqual(whole.view(lines, 'text'));
      for (const terminal of [whole, rebuilt, viewer]) terminal.dispose();
    }),
    { numRuns: RUNS, seed: SEED, interruptAfterTimeLimit: LIMIT_MS, markInterruptAsFailure: true },
  );
});

function restored(screen: ScreenTerminal, log: Buffer): ScreenTerminal {
  const stored = screen.state();
  if (stored === undefined) return screen;
  const state = JSON.parse(JSON.stringify(stored)) as TerminalState;
  const again = new ScreenTerminal({ ...state, state, history: HISTORY });
  again.write(log.subarray(state.offset));
  screen.dispose();
  return again;
}
