/** Operations that the first page calls. It loads only their routes, because those of all operations are long. */
export const FIRST_PAGE_OPERATIONS = [
  'approvals.list',
  'inbox.list',
  'inbox.marks',
  'repositories.list',
  'sessions.get',
  'sessions.list',
  'users.current',
] as const;

export type FirstPageOperation = (typeof FIRST_PAGE_OPERATIONS)[number];
