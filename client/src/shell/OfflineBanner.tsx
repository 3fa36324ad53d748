import { useEffect, useState } from 'react';
import { retryNow, useConnection } from '../api/live.ts';

/** Time in milliseconds before a lost connection is shown. Shorter interruptions are not shown. */
const DELAY_MS = 600;

/**
 * Banner for a lost connection, with the time until the next attempt to reconnect. The banner is over the page, so that
 * the content of the page does not move when the banner appears.
 */
export function OfflineBanner() {
  const { state, offlineSince } = useConnection();
  const [now, setNow] = useState(Date.now);
  const isOffline = offlineSince !== undefined;
  useEffect(() => {
    if (!isOffline) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isOffline]);
  if (offlineSince === undefined || now - offlineSince <= DELAY_MS) return null;

  let text = 'Reconnecting…';
  if (state.kind === 'ended') text = state.reason;
  else if (state.kind === 'waiting') {
    const seconds = Math.max(1, Math.ceil((state.retryAt - now) / 1_000));
    text = `Offline. The page may be out of date. Reconnecting in ${seconds} s.`;
  }
  return (
    <div
      className="fixed inset-x-0 top-2 z-40 mx-auto flex w-fit max-w-[calc(100vw-16px)] items-center gap-3 rounded-md border border-needs bg-needs-bg px-3 py-1.5 text-needs shadow-raised"
      data-testid="offline"
      role="status"
    >
      <span>{text}</span>
      <button className="shrink-0 rounded border border-current px-2 font-medium" onClick={retryNow} type="button">
        Reconnect now
      </button>
    </div>
  );
}
