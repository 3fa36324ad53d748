/** Weight of a match in the keywords, compared with a match in the title. */
const BESIDE = 0.6;
/** Maximum score for a word whose letters occur in order, but possibly with other letters in between. */
const SCATTERED = 0.3;

/**
 * Returns the relevance of an entry, from 0 for no match to 1. Every word of the query must match: at the beginning of
 * a word, within a word, or, in the title only, with its letters in order but scattered. cmdk's own filter is not used,
 * because it ranks scattered letters above a match within a word and requires the words in order.
 */
export function rank(query: string, title: string, more = ''): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  let total = 0;
  for (const word of words) {
    const found = Math.max(
      inText(word, title.toLowerCase()),
      inText(word, more.toLowerCase()) * BESIDE,
      scattered(word, title.toLowerCase()) * SCATTERED,
    );
    if (found === 0) return 0;
    total += found;
  }
  return words.length === 0 ? 1 : total / words.length;
}

function inText(word: string, text: string): number {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0) return 1;
    best = Math.max(best, /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') ? 0.7 : 0.9);
  }
  return best;
}

/**
 * Returns how close together the letters of `word` are in `text`: 1 without gaps, 0 if they do not all occur in order.
 */
function scattered(word: string, text: string): number {
  const first = text.indexOf(word[0] ?? '');
  if (word.length < 2 || first < 0) return 0;
  let at = first - 1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return 0;
  }
  return word.length / (at - first + 1);
}
