import { SEARCH_MARKS_MAX, SEARCH_SNIPPET_CHARS, SEARCH_SNIPPET_LEAD_CHARS } from '@agent-console/shared/limits/search';

/** Words that stand one behind the other; with `beginning` the last may go on. */
interface Phrase {
  words: readonly string[];
  beginning: boolean;
}

/** What a text must have to be found: all of it. */
export interface Wanted {
  phrases: readonly Phrase[];
  /** Pieces in scripts that are written without spaces between words: they stand anywhere, exactly so. */
  pieces: readonly string[];
}

/** A place in a text on one line, and where what was wanted stands in it, in UTF-16 units. */
export interface Excerpt {
  snippet: string;
  marks: { start: number; end: number }[];
}

const WORDS = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{M}\p{Co}]*/gu;
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Reads a search as people write one: words, `"in quotes"` as they stand, and `begin*`. All else only parts words. */
export function readSearch(query: string): Wanted {
  const phrases: Phrase[] = [];
  const pieces: string[] = [];
  for (const [, quoted, plain = ''] of query.normalize('NFC').matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const part = quoted ?? plain;
    const words = [...part.matchAll(WORDS)].map(([word]) => word);
    if (words.length === 0) continue;
    if (UNSPACED.test(part)) pieces.push(part.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, ''));
    else phrases.push({ words, beginning: part.endsWith('*') });
  }
  return { phrases, pieces };
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Letters with any marks above or below them. */
function loosely(word: string): string {
  const letters = [...word.normalize('NFD').replace(/\p{M}/gu, '')];
  return letters.map((letter) => `${escaped(letter)}\\p{M}*`).join('');
}

function phrasePattern({ words, beginning }: Phrase): string {
  // Between two words no mark comes first: it would belong to both, and be tried in as many ways as there are marks.
  const inside = words.map(loosely).join('[^\\p{L}\\p{N}\\p{M}][^\\p{L}\\p{N}]*');
  return `(?<![\\p{L}\\p{N}\\p{M}])${inside}${beginning ? '[\\p{L}\\p{N}\\p{M}]*' : '(?![\\p{L}\\p{N}\\p{M}])'}`;
}

/** Finds what is wanted in a text whose letters and marks are apart. */
function patternOf({ phrases, pieces }: Wanted): RegExp {
  const all = [...phrases.map(phrasePattern), ...pieces.map((piece) => escaped(piece.normalize('NFD')))];
  return new RegExp(all.join('|'), 'giu');
}

const onOneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').normalize('NFC');

/** Where the excerpt begins: at a word, a little before the first match. */
function beginOf(text: string, match: number): number {
  const lead = match - SEARCH_SNIPPET_LEAD_CHARS;
  if (lead <= 0) return 0;
  const space = text.slice(lead, match).search(/\s/);
  if (space >= 0) return lead + space + 1;
  return match;
}

/** The piece of a text around the first place that has something of what was wanted; its beginning where none is seen. */
export function excerptOf(text: string, wanted: Wanted): Excerpt {
  // Compared with letters and marks apart, as the index does; shown put together again.
  const apart = text.normalize('NFD');
  const pattern = patternOf(wanted);
  const begin = beginOf(apart, pattern.exec(apart)?.index ?? 0);
  const window = apart.slice(begin, begin + SEARCH_SNIPPET_CHARS).replace(/[\ud800-\udbff]$/, '');
  const isCut = begin + window.length < apart.length;

  let snippet = begin > 0 ? '…' : '';
  const marks: Excerpt['marks'] = [];
  let at = begin;
  pattern.lastIndex = begin;
  while (marks.length < SEARCH_MARKS_MAX) {
    const match = pattern.exec(apart);
    if (match === null || match.index >= begin + window.length) break;
    snippet += onOneLine(apart.slice(at, match.index));
    const start = snippet.length;
    at = Math.min(match.index + match[0].length, begin + window.length);
    snippet += onOneLine(apart.slice(match.index, at));
    marks.push({ start, end: snippet.length });
  }
  snippet += onOneLine(apart.slice(at, begin + window.length));
  return { snippet: snippet.trimEnd() + (isCut ? '…' : ''), marks };
}
