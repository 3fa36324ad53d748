export interface BoardSearch {
  /** The default is columns. */
  view?: 'list';
}

export function parseBoardSearch({ view }: Record<string, unknown>): BoardSearch {
  return view === 'list' ? { view } : {};
}
