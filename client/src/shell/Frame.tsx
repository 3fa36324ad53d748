import { Outlet, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { useTelling } from '../features/inbox/telling.ts';
import { useAttention } from '../features/sessions/attention.ts';
import { useToasts } from '../ui/toasts.ts';
import { useTabCues } from './cues.ts';
import { useDialog } from './dialogs.ts';
import { OfflineBanner } from './OfflineBanner.tsx';
import { Outdated } from './Outdated.tsx';
import { usePlaceKeys } from './places.ts';
import { Rail } from './Rail.tsx';

/** Where a browser does not say when it is idle. */
const IDLE_AFTER_MS = 1_000;

const loadDialogs = () => import('./DialogHost.tsx');
const DialogHost = lazy(loadDialogs);
const Toaster = lazy(() => import('../ui/Toaster.tsx'));

/** Dialogs are loaded once the page has nothing else to do, so that the first one comes as fast as the others. */
function preloadWhenIdle(): () => void {
  const preload = () =>
    void loadDialogs()
      .then(({ preloadDialogs }) => preloadDialogs())
      // The dialog that is asked for says that it could not be loaded.
      .catch(() => {});
  if (window.requestIdleCallback === undefined) {
    const timer = setTimeout(preload, IDLE_AFTER_MS);
    return () => clearTimeout(timer);
  }
  const idle = requestIdleCallback(preload);
  return () => cancelIdleCallback(idle);
}

/** Rail and page; the rail lies below the page on a phone. */
export function Frame() {
  const { sessionId } = useParams({ strict: false });
  const attention = useAttention();
  const waiting = attention.length;
  const asked = useDialog(({ request }) => request !== undefined);
  const told = useToasts(({ toasts }) => toasts.length > 0);
  usePlaceKeys();
  useEffect(preloadWhenIdle, []);
  useTabCues(waiting);
  useTelling(attention, sessionId);
  return (
    <div className="flex h-full flex-col-reverse md:flex-row">
      <Rail waiting={waiting} />
      <div className="isolate min-h-0 min-w-0 flex-1">
        <Outlet />
      </div>
      <OfflineBanner />
      <Outdated>
        <Suspense>{asked ? <DialogHost /> : null}</Suspense>
        <Suspense>{told ? <Toaster /> : null}</Suspense>
      </Outdated>
    </div>
  );
}
