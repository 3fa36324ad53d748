import { lazy, Suspense } from 'react';

const Content = lazy(() => import('./Onboarding.tsx'));

/** First steps, loaded only while there are no sessions. */
export function Onboarding() {
  return (
    <Suspense>
      <Content />
    </Suspense>
  );
}
