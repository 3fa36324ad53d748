import { lazy } from 'react';

/** Loaded on first use: needs a `Suspense` boundary. */
export const EventsView = lazy(async () => ({ default: (await import('./EventsView.tsx')).EventsView }));
