declare module 'virtual:operation-routes' {
  import type { OperationName } from '@agent-console/shared/operations/table';

  /** Method and path below `/api` of every operation, e.g. `GET /sessions/:sessionId`. */
  export const ROUTES: Readonly<Record<OperationName, string>>;
}
declare module 'virtual:operation-routes/first-page' {
  import type { OperationName } from '@agent-console/shared/operations/table';

  /** Method and path below `/api` of the operations in `first-page-operations.ts`. */
  export const FIRST_PAGE_ROUTES: Readonly<Partial<Record<OperationName, string>>>;
}
