/** Removes all words of a filter that begin with `prefix`. Then adds `word`, unless the filter contained it before. */
export function toggleWord(filter: string, prefix: string, word: string): string {
  const others = filter.split(/\s+/).filter((each) => each !== '' && !each.startsWith(prefix));
  return (filter.split(/\s+/).includes(word) ? others : [...others, word]).join(' ');
}
