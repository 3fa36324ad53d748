import { lazy } from 'react';

export { useDiffSummary } from './use-diff.ts';

/** What changed in a worktree, to read and comment on. Loaded when it is first shown: needs a `Suspense` around it. */
export const DiffView = lazy(async () => ({ default: (await import('./DiffView.tsx')).DiffView }));
