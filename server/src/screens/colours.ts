/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [number, number, number];

/** What programs are told of the terminal's look: a dark one, as most terminals of programmers are. */
export const DEFAULT_COLOURS: Readonly<Record<string, Rgb>> = {
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

/** Colour of an index of the 256-colour palette: 16 basic ones, a cube of 6 x 6 x 6, and 24 greys. */
export function paletteColour(index: string): Rgb | undefined {
  const n = /^\d{1,3}$/.test(index) ? Number(index) : 256;
  if (n < 16) return BASIC[n];
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  if (n < 232) return [level(Math.floor((n - 16) / 36)), level(Math.floor((n - 16) / 6) % 6), level((n - 16) % 6)];
  if (n > 255) return undefined;
  const grey = 8 + (n - 232) * 10;
  return [grey, grey, grey];
}
