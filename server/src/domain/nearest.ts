/** Maximum number of suggestions for a mistyped name. */
const SUGGESTIONS_MAX = 3;
/** Maximum number of characters of a mistyped name that are compared with the known names. */
const COMPARED_MAX_CHARS = 100;

/** Returns the known words nearest to `word` by edit distance, best first. */
export function nearest(word: string, known: readonly string[]): string[] {
  const query = word.slice(0, COMPARED_MAX_CHARS).toLowerCase();
  return known
    .map((name) => ({ name, distance: distance(query, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ name }) => name);
}

/** Returns the Levenshtein distance, computed row by row. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost));
    }
  }
  return row[b.length] ?? 0;
}
