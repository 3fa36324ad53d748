import { Outlet, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Onboarding } from './LazyOnboarding.tsx';
import { useSessions } from './sessions-store.ts';
import { TreePane } from './TreePane.tsx';

// Loaded after the tree, so that the tree appears sooner.
const NoSession = lazy(() => import('./NoSession.tsx'));

/** Session tree and open session. A phone shows only one of them. */
export function SessionsLayout() {
  const { sessionId } = useParams({ strict: false });
  const open = sessionId !== undefined;
  const empty = useSessions(({ loaded, order }) => loaded && order.length === 0);
  return (
    <main className="relative flex h-full">
      {open ? null : <h1 className="sr-only">Sessions</h1>}
      <TreePane selected={sessionId} />
      <div className={`h-full min-w-0 flex-1 ${open ? '' : 'max-md:hidden'}`}>
        <Suspense>{open ? <Outlet /> : empty ? <Onboarding /> : <NoSession />}</Suspense>
      </div>
    </main>
  );
}
