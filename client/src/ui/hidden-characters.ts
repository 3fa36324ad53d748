/**
 * Characters that are invisible or reorder text: controls, bidi controls, zero-width spaces, fillers, tags. Excludes
 * tab and newline, and joiners where a script or an emoji requires them.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|(?<![\p{Script=Arabic}\p{Script=Syriac}\p{M}])\u200c|\u200c(?![\p{L}])|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Syriac}\p{M}])\u200d/gu;

/** Letters of right-to-left scripts. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Consecutive characters that are all visible or all hidden. For hidden ones, `text` contains their code points. */
export interface Piece {
  text: string;
  hidden: boolean;
}

/**
 * Splits a text into visible and hidden pieces. In a hidden piece, code points such as `U+202E` replace the characters.
 */
export function splitHidden(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: match, index } of text.matchAll(HIDDEN)) {
    const last = pieces.at(-1);
    if (index > from || last === undefined || !last.hidden) {
      if (index > from) pieces.push({ text: text.slice(from, index), hidden: false });
      pieces.push({ text: numberOf(match), hidden: true });
    } else last.text += ` ${numberOf(match)}`;
    from = index + match.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** Matches text that certainly has no hidden characters, so that the much slower search for them can be skipped. */
const PRINTABLE = /^[\t\n -~]*$/;

/** Replaces each hidden character by its code point, e.g. by `‹U+202E›`. */
export function escapeHidden(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text.replace(HIDDEN, (match) => `‹${numberOf(match)}›`);
}

/** Escapes and bidi-isolates text for use within a sentence, for strings that are not rendered as elements. */
export function isolateText(text: string): string {
  const shown = escapeHidden(text);
  return RIGHT_TO_LEFT.test(shown) ? `\u2068${shown}\u2069` : shown;
}

function numberOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
