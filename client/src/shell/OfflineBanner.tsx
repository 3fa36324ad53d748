import { useEffect, useState } from 'react';
import { retryNow, useConnection } from '../api/live.ts';

/** Shorter interruptions are not shown. */
const PATIENCE_MS = 600;

/** Connection loss and time of the next attempt. Overlays the page, so that nothing moves. */
export function OfflineBanner() {
  const { state, brokenSince } = useConnection();
  const [now, setNow] = useState(Date.now);
  const broken = brokenSince !== undefined;
  useEffect(() => {
    if (!broken) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [broken]);
  if (brokenSince === undefined || now - brokenSince <= PATIENCE_MS) return null;

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
