import { SCREEN_POLL_MAX_MS, SCREEN_POLL_MS, SCREEN_SETTLED_MS } from '@agent-console/shared/limits/activity';
import type { ScreenSnapshot } from '../../ports/agents.ts';
import type { ScreenView } from '../../ports/screens.ts';

export interface ScreenPoller {
  /** Output was printed up to this offset. */
  printed(offset: number): void;
  /** Reads the screen again, although nothing was printed. */
  again(): void;
  close(): void;
}

/** A screen view as the readers of the agent kinds expect it. */
export function snapshotOf({ offset, title, alternateScreen, text }: ScreenView, settled: boolean): ScreenSnapshot {
  return { offset, title, alternateScreen, lines: text.split('\n'), settled };
}

/** Reads a screen repeatedly while output is printed, and once after it has settled. */
export function pollScreen(
  peek: () => Promise<ScreenView>,
  onSnapshot: (picture: ScreenSnapshot) => void,
  now: () => number,
): ScreenPoller {
  let tail = 0;
  let printedAt = 0;
  let pause = SCREEN_POLL_MS;
  let timer: NodeJS.Timeout | undefined;
  let busy = false;
  /** The read in progress may have started before the request. */
  let wanted = false;
  let closed = false;

  function lookLater(): void {
    timer = setTimeout(() => void look(), pause).unref();
  }

  async function look(): Promise<void> {
    timer = undefined;
    busy = true;
    wanted = false;
    // A screen that cannot be read now is read again later.
    const view = await peek().catch(() => undefined);
    busy = false;
    if (closed) return;
    // Computed after the read: output printed meanwhile may be half painted in the snapshot.
    const quiet = now() - printedAt >= SCREEN_SETTLED_MS;
    const settled = quiet && view !== undefined && view.offset >= tail;
    // After a flood, an incomplete screen may lack what matters.
    if (view?.complete === true) onSnapshot(snapshotOf(view, settled));
    if (settled && !wanted) return;
    pause = quiet ? Math.min(pause * 2, SCREEN_POLL_MAX_MS) : SCREEN_POLL_MS;
    lookLater();
  }

  return {
    printed(offset) {
      tail = offset;
      printedAt = now();
      if (timer === undefined && !busy && !closed) {
        pause = SCREEN_POLL_MS;
        lookLater();
      }
    },
    again() {
      wanted = true;
      if (timer !== undefined || busy || closed) return;
      pause = SCREEN_POLL_MS;
      lookLater();
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
