export interface BoardSearch {
  /** Default: columns. */
  view?: 'list';
}

export function parseBoardSearch({ view }: Record<string, unknown>): BoardSearch {
  return view === 'list' ? { view } : {};
}
