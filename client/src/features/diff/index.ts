import { lazy } from 'react';

export { useDiffSummary } from './use-diff.ts';

/** Loaded on first use: needs a `Suspense` boundary. */
export const DiffView = lazy(async () => ({ default: (await import('./DiffView.tsx')).DiffView }));
