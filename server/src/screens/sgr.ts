import { type Attributes, BITS, type Core } from './internals.ts';

const PLAIN = '\x1b[0m';

function colour(bits: number, base: 30 | 40): string[] {
  const value = bits & BITS.value;
  switch (bits & BITS.colourMode) {
    case BITS.palette16:
      return [`${(value & 0xff) < 8 ? base + (value & 0xff) : base + 60 + (value & 0xff) - 8}`];
    case BITS.palette256:
      return [`${base + 8};5;${value & 0xff}`];
    case BITS.rgb:
      return [`${base + 8};2;${(value >> 16) & 0xff};${(value >> 8) & 0xff};${value & 0xff}`];
    default:
      return [];
  }
}

function underlineColour(bits: number): string[] {
  const value = bits & BITS.value;
  const mode = bits & BITS.colourMode;
  if (mode === BITS.rgb) return [`58:2::${(value >> 16) & 0xff}:${(value >> 8) & 0xff}:${value & 0xff}`];
  return mode === 0 ? [] : [`58:5:${value & 0xff}`];
}

/** Returns the underline style of the text itself; 0 if the text is not underlined, or only because of its link. */
function underlineOf({ fg, bg, extended }: Attributes, isLinked: boolean): number {
  const own = fg & BITS.fg.underline ? 1 : 0;
  // xterm stores a dashed underline for the text of a link. If the terminal no longer stores the link, the underline
  // remains, and counts as an underline of the text itself.
  return bg & BITS.bg.extended && !isLinked ? Math.max(own, extended.underlineStyle) : own;
}

/** Returns the escape sequence that sets exactly these attributes except links, whatever attributes are set before. */
function styleOf(attributes: Attributes, isLinked: boolean): string {
  const { fg, bg, extended } = attributes;
  const codes = ['0'];
  if (fg & BITS.fg.bold) codes.push('1');
  if (bg & BITS.bg.dim) codes.push('2');
  if (bg & BITS.bg.italic) codes.push('3');
  const underline = underlineOf(attributes, isLinked);
  if (underline > 0) codes.push(underline > 1 ? `4:${underline}` : '4');
  if (fg & BITS.fg.blink) codes.push('5');
  if (fg & BITS.fg.inverse) codes.push('7');
  if (fg & BITS.fg.invisible) codes.push('8');
  if (fg & BITS.fg.strikethrough) codes.push('9');
  if (bg & BITS.bg.overline) codes.push('53');
  codes.push(...colour(fg, 30), ...colour(bg, 40));
  if (bg & BITS.bg.extended) codes.push(...underlineColour(extended.underlineColor));
  return `\x1b[${codes.join(';')}m${bg & BITS.bg.protected ? '\x1b[1"q' : ''}`;
}

/** Remembers the current attributes, and returns escape sequences only if the attributes change. */
export class SgrState {
  readonly #core: Core;
  #fg = 0;
  #bg = 0;
  #ext = '';
  #link = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  set(attributes: Attributes): string {
    const { fg, bg, extended } = attributes;
    const isExtended = (bg & BITS.bg.extended) !== 0;
    const link =
      isExtended && this.#core._oscLinkService.getLinkData(extended.urlId) !== undefined ? extended.urlId : 0;
    // For text with a link, the terminal always stores a dashed underline, so the style is not compared.
    const ext = isExtended ? `${link ? '' : extended.underlineStyle},${extended.underlineColor}` : '';
    let out = '';
    if (fg !== this.#fg || bg !== this.#bg || ext !== this.#ext) out += styleOf(attributes, link !== 0);
    if (link !== this.#link) out += this.#linkTo(link);
    this.#fg = fg;
    this.#bg = bg;
    this.#ext = ext;
    this.#link = link;
    return out;
  }

  /**
   * Resets colours and flags, because erased and scrolled-in cells get the current background. An open link stays open:
   * blank cells are not linked, and opening the link again on each row would create many links.
   */
  plain(): string {
    const changed = this.#fg !== 0 || this.#bg !== 0 || this.#ext !== '';
    this.#fg = 0;
    this.#bg = 0;
    this.#ext = '';
    return changed ? PLAIN : '';
  }

  /** Returns sequences that reset all attributes and end an open link. */
  end(): string {
    const out = this.plain() + (this.#link === 0 ? '' : this.#linkTo(0));
    this.#link = 0;
    return out;
  }

  /**
   * Returns sequences that set the attributes of a blank cell, which has only a background colour; empty if they are
   * already set.
   */
  background(bg: number): string {
    if (this.#fg === 0 && this.#bg === bg && this.#ext === '') return '';
    const codes = colour(bg, 40);
    const out = this.plain() + (codes.length > 0 ? `\x1b[0;${codes.join(';')}m` : '');
    this.#bg = bg;
    return out;
  }

  #linkTo(id: number): string {
    const data = id === 0 ? undefined : this.#core._oscLinkService.getLinkData(id);
    if (data === undefined) return '\x1b]8;;\x1b\\';
    return `\x1b]8;${data.id === undefined ? '' : `id=${data.id}`};${data.uri}\x1b\\`;
  }
}
