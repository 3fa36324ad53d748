import { lazy } from 'react';

/** What happened in a session, event by event. Loaded when it is first shown: needs a `Suspense` around it. */
export const EventsView = lazy(async () => ({ default: (await import('./EventsView.tsx')).EventsView }));
