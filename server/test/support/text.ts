import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const CODE_POINTS = 0x110000;

/**
 * Any code point except surrogates, as a unit of `fc.string`. It replaces the unit `binary` of fast-check, which first
 * lists all code points and so takes a second and 130 MB.
 */
export const codePoint: fc.Arbitrary<string> = fc
  .nat({ max: CODE_POINTS - SURROGATES - 1 })
  .map((index) => String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES));
