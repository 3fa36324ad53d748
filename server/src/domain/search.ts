import { SEARCH_MARKS_MAX, SEARCH_SNIPPET_CHARS, SEARCH_SNIPPET_LEAD_CHARS } from '@agent-console/shared/limits/search';

/** Consecutive words. With `isPrefix`, the last word matches every word that begins with it. */
interface Phrase {
  words: readonly string[];
  isPrefix: boolean;
}

/** A text matches if it contains all phrases and pieces. */
export interface SearchQuery {
  phrases: readonly Phrase[];
  /**
   * Parts of the query in scripts without spaces between words, such as Chinese. They match at any position of a text.
   */
  pieces: readonly string[];
}

/** Part of a text, shortened to one line, with the positions of matches in UTF-16 units. */
export interface Excerpt {
  snippet: string;
  marks: { start: number; end: number }[];
}

const WORDS = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{M}\p{Co}]*/gu;
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Parses words, `"exact phrases"` and `prefix*`. All other characters separate words. */
export function parseSearch(query: string): SearchQuery {
  const phrases: Phrase[] = [];
  const pieces: string[] = [];
  for (const [, quoted, plain = ''] of query.normalize('NFC').matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const part = quoted ?? plain;
    const words = [...part.matchAll(WORDS)].map(([word]) => word);
    if (words.length === 0) continue;
    if (UNSPACED.test(part)) pieces.push(part.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu, ''));
    else phrases.push({ words, isPrefix: part.endsWith('*') });
  }
  return { phrases, pieces };
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Returns a pattern that matches a word with or without its diacritics. */
function wordPattern(word: string): string {
  const letters = [...word.normalize('NFD').replace(/\p{M}/gu, '')];
  return letters.map((letter) => `${escaped(letter)}\\p{M}*`).join('');
}

function phrasePattern({ words, isPrefix }: Phrase): string {
  // The separator must not start with a combining mark. If a mark could belong to both the word and the separator,
  // matching would take exponential time.
  const inside = words.map(wordPattern).join('[^\\p{L}\\p{N}\\p{M}][^\\p{L}\\p{N}]*');
  return `(?<![\\p{L}\\p{N}\\p{M}])${inside}${isPrefix ? '[\\p{L}\\p{N}\\p{M}]*' : '(?![\\p{L}\\p{N}\\p{M}])'}`;
}

/** Returns the pattern that finds all matches in NFD text. */
function patternOf({ phrases, pieces }: SearchQuery): RegExp {
  const all = [...phrases.map(phrasePattern), ...pieces.map((piece) => escaped(piece.normalize('NFD')))];
  return new RegExp(all.join('|'), 'giu');
}

const onOneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').normalize('NFC');

/** Returns the index at which the excerpt starts: a word boundary shortly before the first match. */
function startOf(text: string, match: number): number {
  const lead = match - SEARCH_SNIPPET_LEAD_CHARS;
  if (lead <= 0) return 0;
  const space = text.slice(lead, match).search(/\s/);
  if (space >= 0) return lead + space + 1;
  return match;
}

/** Returns the excerpt around the first match, or the start of the text if nothing matches. */
export function excerptOf(text: string, query: SearchQuery): Excerpt {
  // The text is searched in NFD, like the search index. The excerpt is returned in NFC.
  const decomposed = text.normalize('NFD');
  const pattern = patternOf(query);
  const begin = startOf(decomposed, pattern.exec(decomposed)?.index ?? 0);
  const window = decomposed.slice(begin, begin + SEARCH_SNIPPET_CHARS).replace(/[\ud800-\udbff]$/, '');
  const isCut = begin + window.length < decomposed.length;

  let snippet = begin > 0 ? '…' : '';
  const marks: Excerpt['marks'] = [];
  let at = begin;
  pattern.lastIndex = begin;
  while (marks.length < SEARCH_MARKS_MAX) {
    const match = pattern.exec(decomposed);
    if (match === null || match.index >= begin + window.length) break;
    snippet += onOneLine(decomposed.slice(at, match.index));
    const start = snippet.length;
    at = Math.min(match.index + match[0].length, begin + window.length);
    snippet += onOneLine(decomposed.slice(match.index, at));
    marks.push({ start, end: snippet.length });
  }
  snippet += onOneLine(decomposed.slice(at, begin + window.length));
  return { snippet: snippet.trimEnd() + (isCut ? '…' : ''), marks };
}
