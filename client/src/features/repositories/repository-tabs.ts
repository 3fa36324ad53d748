export const REPOSITORY_TABS = [
  { id: 'worktrees', name: 'Worktrees' },
  { id: 'branches', name: 'Branches' },
  { id: 'cleanup', name: 'Clean up' },
  { id: 'settings', name: 'Settings' },
] as const;

export interface RepositorySearch {
  tab?: (typeof REPOSITORY_TABS)[number]['id'];
}

/** Parses the search parameters of the page. Without a tab, the page shows the worktrees. */
export function parseRepositorySearch({ tab }: Record<string, unknown>): RepositorySearch {
  const known = REPOSITORY_TABS.find(({ id }) => id === tab);
  return known === undefined || known.id === 'worktrees' ? {} : { tab: known.id };
}
