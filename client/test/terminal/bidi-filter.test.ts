import { expect, test } from 'vitest';
import { neutralizeBidi } from '../../src/terminal/bidi-filter.ts';

const PRINTED = 'a\u202eb\u2066c\u2069d\u200e\u200f\u202a €‹ عربي 👩\u200d👧';
const SHOWN = 'a\u200bb\u2060c\u2060d\u200b\u200b\u200b €‹ عربي 👩\u200d👧';

/** Returns the output of the filter for these chunks, as text. */
function shown(pieces: readonly (string | Uint8Array)[]): string {
  const bytes: number[] = [];
  const target = neutralizeBidi({
    write: (data) => bytes.push(...(typeof data === 'string' ? new TextEncoder().encode(data) : data)),
  });
  for (const piece of pieces) target.write(piece, () => {});
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

test('bidi controls are neutralized, and all else is unchanged', () => {
  expect(shown([new TextEncoder().encode(PRINTED)])).toBe(SHOWN);
});

test('they are neutralized in screen snapshots', () => {
  expect(shown([PRINTED])).toBe(SHOWN.replaceAll('\u2060c\u2060', '\u200bc\u200b'));
});

test.each([1, 2, 3, 5])('they are neutralized in chunks of %d bytes', (size) => {
  const bytes = new TextEncoder().encode(PRINTED);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.slice(n * size, (n + 1) * size),
  );
  expect(shown(pieces)).toBe(SHOWN);
});
