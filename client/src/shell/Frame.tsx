import { Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { shownCount, useInbox } from '../features/inbox/inbox-items.ts';
import { useNextNeed } from '../features/inbox/use-next-need.ts';
import { focusPageIfLost } from '../ui/focus.ts';
import { useToasts } from '../ui/toasts.ts';
import { useDialog } from './dialogs.ts';
import { LoadErrorBoundary } from './LoadErrorBoundary.tsx';
import { OfflineBanner } from './OfflineBanner.tsx';
import { Rail } from './Rail.tsx';

/** Delay before preloading in browsers without `requestIdleCallback`. */
const IDLE_AFTER_MS = 1_000;

const loadDialogs = () => import('./DialogHost.tsx');
const DialogHost = lazy(loadDialogs);
const Toaster = lazy(() => import('../ui/Toaster.tsx'));
const InboxToasts = lazy(() => import('../features/inbox/InboxToasts.ts'));
const OverlapUpdates = lazy(() => import('../features/overlaps/OverlapUpdates.ts'));

/** Preloads dialogs when the browser is idle, so that the first dialog opens as fast as later ones. */
function preloadWhenIdle(): () => void {
  const preload = () =>
    void loadDialogs()
      .then(({ preloadDialogs }) => preloadDialogs())
      // A failed preload is ignored, because opening the dialog shows the error.
      .catch(() => {});
  if (window.requestIdleCallback === undefined) {
    const timer = setTimeout(preload, IDLE_AFTER_MS);
    return () => clearTimeout(timer);
  }
  const idle = requestIdleCallback(preload);
  return () => cancelIdleCallback(idle);
}

/** Navigation rail and page. On a phone, the rail is at the bottom. */
export function Frame() {
  const { sessionId } = useParams({ strict: false });
  const { items, counts } = useInbox();
  const hasDialog = useDialog(({ request }) => request !== undefined);
  const hasToasts = useToasts(({ toasts }) => toasts.length > 0);
  useEffect(preloadWhenIdle, []);
  useNextNeed();
  useTabBadge(shownCount(counts).count);
  useFocusOfPage();
  return (
    <div className="flex h-full flex-col-reverse md:flex-row">
      <Rail counts={counts} />
      <div className="isolate min-h-0 min-w-0 flex-1">
        <Outlet />
      </div>
      <OfflineBanner />
      <LoadErrorBoundary>
        <Suspense>{hasDialog ? <DialogHost /> : null}</Suspense>
        <Suspense>{hasToasts ? <Toaster /> : null}</Suspense>
        <Suspense>
          <InboxToasts items={items} openSessionId={sessionId} />
        </Suspense>
        <Suspense>
          <OverlapUpdates />
        </Suspense>
      </LoadErrorBoundary>
    </div>
  );
}

/**
 * Focuses a newly opened page if no element has the focus, e.g. because the clicked link disappeared with the previous
 * page.
 */
function useFocusOfPage(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== undefined && before.current !== path) focusPageIfLost();
    before.current = path;
  }, [path]);
}

const NAME = 'Agent Console';

/**
 * Shows `count`, a number of inbox items, in the title of the browser tab. If the number is not 0, the tab's icon has a
 * dot.
 */
function useTabBadge(count: number): void {
  useEffect(() => {
    document.title = count === 0 ? NAME : `(${count}) ${NAME}`;
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon !== null) icon.href = count === 0 ? '/icon.svg' : '/icon-waiting.svg';
  }, [count]);
}
