/**
 * Characters that are not seen or that reorder what is: controls, directions of writing, spaces without width, fillers,
 * tags. Tab and newline are none of them. The two joiners are, but where a script or a picture needs them.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|(?<![\p{Script=Arabic}\p{Script=Syriac}\p{M}])\u200c|\u200c(?![\p{L}])|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Arabic}\p{Script=Syriac}\p{M}])\u200d/gu;

/** Letters that are written from right to left. */
const LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A stretch of text as it is, or the numbers of hidden characters that stand one after the other. */
export interface Piece {
  text: string;
  hidden: boolean;
}

/** Text in pieces: what can be seen, and between it the hidden characters by their numbers: `U+202E`. */
export function splitHidden(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(HIDDEN)) {
    const last = pieces.at(-1);
    if (index > from || last === undefined || !last.hidden) {
      if (index > from) pieces.push({ text: text.slice(from, index), hidden: false });
      pieces.push({ text: numberOf(found), hidden: true });
    } else last.text += ` ${numberOf(found)}`;
    from = index + found.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/**
 * Text whose every character can be seen: those that cannot, or that could make a text look like another, are told by
 * their numbers: `‹U+202E›`.
 */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN, (found) => `‹${numberOf(found)}›`);
}

/** The same for a place among words of ours, whose order it cannot change. For texts that are no elements of the page. */
export function isolateText(text: string): string {
  const shown = escapeHidden(text);
  return LEFTWARDS.test(shown) ? `\u2068${shown}\u2069` : shown;
}

function numberOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
