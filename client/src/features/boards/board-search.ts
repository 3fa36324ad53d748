export interface BoardSearch {
  /** How the board is shown. If undefined, the board is shown as columns. */
  view?: 'list';
}

export function parseBoardSearch({ view }: Record<string, unknown>): BoardSearch {
  return view === 'list' ? { view } : {};
}
