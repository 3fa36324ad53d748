import { Outlet, useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTelling } from '../features/inbox/telling.ts';
import { useAttention } from '../features/sessions/attention.ts';
import { useToasts } from '../ui/toasts.ts';
import { useTabCues } from './cues.ts';
import { useDialog } from './dialogs.ts';
import { OfflineBanner } from './OfflineBanner.tsx';
import { Outdated } from './Outdated.tsx';
import { usePlaceKeys } from './places.ts';
import { Rail } from './Rail.tsx';

const DialogHost = lazy(() => import('./DialogHost.tsx'));
const Toaster = lazy(() => import('../ui/Toaster.tsx'));

/** Rail and page; the rail lies below the page on a phone. Dialogs and toasts are loaded when the first one is due. */
export function Frame() {
  const { sessionId } = useParams({ strict: false });
  const attention = useAttention();
  const waiting = attention.length;
  const asked = useDialog(({ request }) => request !== undefined);
  const told = useToasts(({ toasts }) => toasts.length > 0);
  usePlaceKeys();
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
