import type { WorktreeFile } from '../ports/git.ts';

/**
 * Returns the rank of a path for a query, regardless of case. The best match has rank 0; null means that the path does
 * not match. A match in the file name ranks above a match in the directories; adjacent characters rank above scattered
 * characters.
 */
function rankOf(path: string, query: string): number | null {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  if (name === query) return 0;
  if (name.startsWith(query)) return 1;
  if (name.includes(query)) return 2;
  if (lower.includes(query)) return 3;
  let at = 0;
  for (const character of query) {
    at = lower.indexOf(character, at) + 1;
    if (at === 0) return null;
  }
  return 4;
}

/**
 * Collects the files that match a query. Returns pages of them: best match first, then shortest path, then git's order.
 */
export function createFileMatcher(query: string) {
  const lowerQuery = query.toLowerCase();
  const found: { rank: number; file: WorktreeFile }[] = [];
  return {
    add(file: WorktreeFile): void {
      const rank = rankOf(file.path, lowerQuery);
      if (rank !== null) found.push({ rank, file });
    },
    page(skip: number, limit: number): { total: number; files: WorktreeFile[] } {
      found.sort((a, b) => a.rank - b.rank || a.file.path.length - b.file.path.length);
      return { total: found.length, files: found.slice(skip, skip + limit).map(({ file }) => file) };
    },
  };
}
