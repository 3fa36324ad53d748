import { describe, expect, it } from 'vitest';
import { escapeHidden, isolateText, splitHidden } from '../../src/ui/hidden-characters.ts';

describe('untrusted text', () => {
  it.each([
    ['echo safe \u202efr- mr\u202c ; true', 'echo safe ‹U+202E›fr- mr‹U+202C› ; true'],
    ['a\u2066b\u2069', 'a‹U+2066›b‹U+2069›'],
    ['rm\u200b -rf\u00ad \u3164', 'rm‹U+200B› -rf‹U+00AD› ‹U+3164›'],
    ['\u061c\u200e\u200f', '‹U+061C›‹U+200E›‹U+200F›'],
    ['tag\u{e0041}', 'tag‹U+E0041›'],
    ['r\u200dm \u200c', 'r‹U+200D›m ‹U+200C›'],
    ['bell\u0007\r', 'bell‹U+0007›‹U+000D›'],
    ['two\nlines\tof it', 'two\nlines\tof it'],
  ])('%j shows every character', (text, shown) => {
    expect(escapeHidden(text)).toBe(shown);
  });

  it.each(['مرحبا بالعالم', 'می\u200cخواهم', 'क्\u200dष', '👩\u200d👩\u200d👧', '❤\ufe0f\u200d🔥', 'Ünïcödé'])(
    '%j is unchanged',
    (text) => expect(escapeHidden(text)).toBe(text),
  );

  it('has one mark for consecutive hidden characters', () => {
    expect(splitHidden('a\u202e\u200bb')).toEqual([
      { text: 'a', hidden: false },
      { text: 'U+202E U+200B', hidden: true },
      { text: 'b', hidden: false },
    ]);
    expect(splitHidden('')).toEqual([]);
  });

  it('is isolated so that it cannot reorder surrounding text', () => {
    expect(isolateText('checkout')).toBe('checkout');
    expect(isolateText('دخول')).toBe('\u2068دخول\u2069');
    expect(isolateText('\u2069דף\u202e')).toBe('\u2068‹U+2069›דף‹U+202E›\u2069');
  });
});
