import { lazy, Suspense } from 'react';

const Content = lazy(() => import('./Onboarding.tsx'));

/** Checklist of first steps. Its code is loaded only while there are no sessions. */
export function Onboarding() {
  return (
    <Suspense>
      <Content />
    </Suspense>
  );
}
