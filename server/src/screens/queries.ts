import type { Terminal } from '@xterm/headless';

/** This file contains the handlers that answer the queries that programs send to their terminal. */

/**
 * Matches sequences with which a program queries its terminal: reports (n), attributes (c), modes ($p), version (>q),
 * sizes (t), colours, settings (DCS). The matches only determine where the output is split; the terminal decides
 * whether and how it answers.
 */
const QUERIES =
  /\x1b(?:\[[?>=]?[\d;]*\$?[cnptq]|\][\d;]+[^\x07\x1b]{0,200}\?[^\x07\x1b]{0,200}(?:\x07|\x1b\\)|P[$+]q[^\x1b]{0,200}\x1b\\|Z)/g;

/**
 * Returns the index in `data` directly after each query. The log offset of this index identifies the answer to the
 * query.
 */
export function queryEnds(data: Buffer): number[] {
  return [...data.toString('latin1').matchAll(QUERIES)].map((match) => match.index + match[0].length);
}

/** Registers handlers for queries that the headless terminal leaves unanswered. */
export function registerAnswers(terminal: Terminal, answer: (data: string) => void): void {
  const { parser } = terminal;
  const reply = (data: string) => () => {
    answer(data);
    return true;
  };
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, reply('\x1bP>|xterm.js(6.0.0)\x1b\\'));
  parser.registerCsiHandler({ prefix: '=', final: 'c' }, reply('\x1bP!|00000000\x1b\\'));
  const colours = new Map<string, Rgb>();
  const colourNamed = (name: string): Rgb | undefined =>
    colours.get(name) ?? DEFAULT_COLOURS[name] ?? paletteColour(name);
  const setOrReport = (code: string, name: string, spec: string): void => {
    const colour = parseColour(spec);
    if (colour !== undefined) colours.set(name, colour);
    const reported = spec === '?' ? colourNamed(name) : undefined;
    if (reported !== undefined) answer(`\x1b]${code};${reported.map(inFourDigits).reduce(withPrefix, 'rgb:')}\x1b\\`);
  };
  parser.registerOscHandler(4, (data) => {
    const parts = data.split(';');
    for (let i = 0; i + 1 < parts.length; i += 2) setOrReport(`4;${parts[i]}`, parts[i] ?? '', parts[i + 1] ?? '');
    return false;
  });
  // Each further colour in a sequence belongs to the next code: OSC 10;a;b sets the colours 10 and 11.
  for (const first of [10, 11, 12]) {
    parser.registerOscHandler(first, (data) => {
      for (const [i, spec] of data.split(';').entries()) {
        if (first + i <= 12) setOrReport(`${first + i}`, `osc${first + i}`, spec);
      }
      return false;
    });
    parser.registerOscHandler(first + 100, () => !colours.delete(`osc${first}`) && false);
  }
  parser.registerOscHandler(104, (data) => {
    for (const name of data === '' ? [...colours.keys()].filter((key) => /^\d/.test(key)) : data.split(';')) {
      colours.delete(name);
    }
    return false;
  });
  coloursOf.set(terminal, colours);
}

const coloursOf = new WeakMap<Terminal, Map<string, Rgb>>();

/** Returns the sequences that restore the colours that the program has set. */
export function serializeColours(terminal: Terminal): string {
  return [...(coloursOf.get(terminal) ?? [])]
    .map(([name, colour]) => {
      const code = name.startsWith('osc') ? name.slice(3) : `4;${name}`;
      return `\x1b]${code};${colour.map(inFourDigits).reduce(withPrefix, 'rgb:')}\x1b\\`;
    })
    .join('');
}

const inFourDigits = (value: number) => value.toString(16).padStart(2, '0').repeat(2);
const withPrefix = (text: string, part: string) => (text === 'rgb:' ? text + part : `${text}/${part}`);

/** Parses `#` with 3, 6, 9 or 12 hexadecimal digits, or `rgb:r/g/b` with one to four digits for each part. */
function parseColour(spec: string): Rgb | undefined {
  const parts = /^rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})$/i.exec(spec)?.slice(1);
  const digits = /^#((?:[\da-f]{3}){1,4})$/i.exec(spec)?.[1];
  const width = digits === undefined ? 0 : digits.length / 3;
  const found =
    parts ?? (digits === undefined ? undefined : [0, 1, 2].map((i) => digits.slice(i * width, (i + 1) * width)));
  const [r, g, b] = (found ?? []).map((hex) => Math.round((Number.parseInt(hex, 16) / (16 ** hex.length - 1)) * 255));
  return r === undefined || g === undefined || b === undefined ? undefined : [r, g, b];
}

/** Red, green and blue from 0 to 255. */
type Rgb = readonly [number, number, number];

/** Default colours reported to programs: a dark background, as in most programmers' terminals. */
const DEFAULT_COLOURS: Readonly<Record<string, Rgb>> = {
  osc10: [0xe6, 0xe6, 0xe6],
  osc11: [0x16, 0x18, 0x1d],
  osc12: [0xe6, 0xe6, 0xe6],
};

const BASIC: readonly Rgb[] = [
  [0x2e, 0x34, 0x36],
  [0xcc, 0x00, 0x00],
  [0x4e, 0x9a, 0x06],
  [0xc4, 0xa0, 0x00],
  [0x34, 0x65, 0xa4],
  [0x75, 0x50, 0x7b],
  [0x06, 0x98, 0x9a],
  [0xd3, 0xd7, 0xcf],
  [0x55, 0x57, 0x53],
  [0xef, 0x29, 0x29],
  [0x8a, 0xe2, 0x34],
  [0xfc, 0xe9, 0x4f],
  [0x72, 0x9f, 0xcf],
  [0xad, 0x7f, 0xa8],
  [0x34, 0xe2, 0xe2],
  [0xee, 0xee, 0xec],
];

/** Returns a colour of the 256-colour palette by its index: 16 basic colours, a cube of 6 x 6 x 6, and 24 greys. */
function paletteColour(index: string): Rgb | undefined {
  const n = /^\d{1,3}$/.test(index) ? Number(index) : 256;
  if (n < 16) return BASIC[n];
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  if (n < 232) return [level(Math.floor((n - 16) / 36)), level(Math.floor((n - 16) / 6) % 6), level((n - 16) % 6)];
  if (n > 255) return undefined;
  const grey = 8 + (n - 232) * 10;
  return [grey, grey, grey];
}
