/** Texts by which an entry of the palette is found. */
export interface Findable {
  title: string;
  /** Other names of the entry, e.g. `check`. */
  aliases?: readonly string[];
  keywords?: readonly string[];
  note?: string;
  /** Whether the title is a long sentence, in which scattered letters do not count as a match. */
  isSentence?: boolean;
}

/** Relevance of a match. Of entries with the same relevance, the one that was used last comes first. */
const WHOLE = 6;
const TITLE_START = 5;
const FIRST_WORD = 4;
const WORD_START = 3;
const KEYWORD_START = 2;
const WITHIN = 1;
const SCATTERED = 0.5;
/**
 * Minimum density of scattered letters: the number of letters in the word, divided by the length of the part of the
 * title that contains them. Letters with a lower density match by chance, e.g. `tasks` in a long title.
 */
const DENSITY_MIN = 0.3;

/**
 * Returns the relevance of an entry, 0 if it does not match. Every word of the query must match. Matches rank in this
 * order:
 * - the query is the whole title or an alias;
 * - the query is the start of the title or of an alias;
 * - a word of the query is at the start of the title;
 * - it is at the start of another word of the title;
 * - it is at the start of a word of the aliases, keywords or note;
 * - it is within a word of the title;
 * - its letters are scattered in the title, in order.
 * An empty query matches everything equally.
 */
export function rank(
  query: string,
  { title, aliases = [], keywords = [], note = '', isSentence = false }: Findable,
): number {
  const wanted = query.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (wanted === '') return WHOLE;
  const name = title.toLowerCase();
  if (name.replace('…', '') === wanted || aliases.includes(wanted)) return WHOLE;
  if ([name, ...aliases].some((each) => each.startsWith(wanted))) return TITLE_START;
  const more = `${aliases.join(' ')} ${keywords.join(' ')} ${note}`.toLowerCase();
  const words = wanted.split(' ');
  let total = 0;
  for (const word of words) {
    const found = rankWord(word, name, more) || (isSentence ? 0 : SCATTERED * scattered(word, name));
    if (found === 0) return 0;
    total += found;
  }
  return total / words.length;
}

function rankWord(word: string, title: string, more: string): number {
  if (title.startsWith(word)) return FIRST_WORD;
  if (startsAWord(word, title)) return WORD_START;
  if (startsAWord(word, more)) return KEYWORD_START;
  return title.includes(word) ? WITHIN : 0;
}

function startsAWord(word: string, text: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return true;
  }
  return false;
}

/**
 * Returns how close together the letters of `word` are in `text`: 1 without gaps; 0 if they are too far apart or do not
 * all occur in order. The search starts at the first word of `text` that begins with the first letter. A word of fewer
 * than three letters never matches.
 */
function scattered(word: string, text: string): number {
  const start = new RegExp(`(?<![\\p{L}\\p{N}])${word[0]?.replace(/[^\p{L}\p{N}]/u, '\\$&')}`, 'u').exec(text);
  if (word.length < 3 || start === null) return 0;
  let at = start.index - 1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return 0;
  }
  const density = word.length / (at - start.index + 1);
  return density < DENSITY_MIN ? 0 : density;
}

/**
 * Returns the entries that match a query, most relevant first. Of equally relevant entries, the one that was used last
 * comes first.
 */
export function matching<E extends Findable & { id: string }>(
  entries: readonly E[],
  query: string,
  recent: readonly string[] = [],
): { entry: E; score: number }[] {
  const used = new Map(recent.map((id, at) => [id, at]));
  const lastUse = ({ id }: E) => used.get(id) ?? Number.POSITIVE_INFINITY;
  return entries
    .map((entry) => ({ entry, score: rank(query, entry) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compare(lastUse(a.entry), lastUse(b.entry)));
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}
