/** Reads the text of a search or filter field from the search parameters of a URL. */
export function parseText({ q }: Record<string, unknown>): { q?: string } {
  return typeof q === 'string' && q !== '' ? { q } : {};
}
