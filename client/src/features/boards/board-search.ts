export interface BoardSearch {
  /** `list` shows the board as a list. By default, the board is shown as columns. */
  view?: 'list';
}

export function parseBoardSearch({ view }: Record<string, unknown>): BoardSearch {
  return view === 'list' ? { view } : {};
}
