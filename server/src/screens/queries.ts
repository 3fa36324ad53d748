import type { Terminal } from '@xterm/headless';
import { DEFAULT_COLOURS, paletteColour, type Rgb } from './colours.ts';

/**
 * Sequences that ask the terminal something: reports (n), attributes (c), modes ($p), version (>q), sizes (t), colours,
 * settings (DCS). Only places to cut: whether there is an answer, and which, the terminal decides.
 */
const QUERIES =
  /\x1b(?:\[[?>=]?[\d;]*\$?[cnptq]|\][\d;]+[^\x07\x1b]{0,200}\?[^\x07\x1b]{0,200}(?:\x07|\x1b\\)|P[$+]q[^\x1b]{0,200}\x1b\\|Z)/g;

/** Where in `data` queries end, so that each answer can be told by the offset behind its question. */
export function queryEnds(data: Buffer): number[] {
  return [...data.toString('latin1').matchAll(QUERIES)].map((match) => match.index + match[0].length);
}

/** Answers that the headless terminal does not give by itself. */
export function answerMore(terminal: Terminal, answer: (data: string) => void): void {
  const { parser } = terminal;
  const says = (data: string) => () => {
    answer(data);
    return true;
  };
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, says('\x1bP>|xterm.js(6.0.0)\x1b\\'));
  parser.registerCsiHandler({ prefix: '=', final: 'c' }, says('\x1bP!|00000000\x1b\\'));
  const colours = new Map<string, Rgb>();
  const known = (name: string): Rgb | undefined => colours.get(name) ?? DEFAULT_COLOURS[name] ?? paletteColour(name);
  const one = (code: string, name: string, spec: string): void => {
    const colour = parseColour(spec);
    if (colour !== undefined) colours.set(name, colour);
    const asked = spec === '?' ? known(name) : undefined;
    if (asked !== undefined) answer(`\x1b]${code};${asked.map(inFourDigits).reduce(withPrefix, 'rgb:')}\x1b\\`);
  };
  parser.registerOscHandler(4, (data) => {
    const parts = data.split(';');
    for (let i = 0; i + 1 < parts.length; i += 2) one(`4;${parts[i]}`, parts[i] ?? '', parts[i + 1] ?? '');
    return false;
  });
  // Further colours in one sequence are those that follow: OSC 10;a;b sets 10 and 11.
  for (const first of [10, 11, 12]) {
    parser.registerOscHandler(first, (data) => {
      for (const [i, spec] of data.split(';').entries()) {
        if (first + i <= 12) one(`${first + i}`, `osc${first + i}`, spec);
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

/** Colours that the program has set, as the sequences that set them. */
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

/** `#rgb`, `#rrggbb` and the like, or `rgb:r/g/b` with one to four digits each. */
function parseColour(spec: string): Rgb | undefined {
  const parts = /^rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})$/i.exec(spec)?.slice(1);
  const digits = /^#((?:[\da-f]{3}){1,4})$/i.exec(spec)?.[1];
  const each = digits === undefined ? 0 : digits.length / 3;
  const found =
    parts ?? (digits === undefined ? undefined : [0, 1, 2].map((i) => digits.slice(i * each, (i + 1) * each)));
  const [r, g, b] = (found ?? []).map((hex) => Math.round((Number.parseInt(hex, 16) / (16 ** hex.length - 1)) * 255));
  return r === undefined || g === undefined || b === undefined ? undefined : [r, g, b];
}
