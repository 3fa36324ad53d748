import { SCREEN_POLL_MAX_MS, SCREEN_POLL_MS, SCREEN_SETTLED_MS } from '@agent-console/shared/limits/activity';
import type { ScreenSnapshot } from '../../ports/agents.ts';
import type { ScreenView } from '../../ports/screens.ts';

export interface ScreenPoller {
  /** Must be called when the process has printed output. `offset` is the new end of the output. */
  printed(offset: number): void;
  /** Requests another read of the screen, even if nothing was printed. */
  again(): void;
  close(): void;
}

/** Converts a view of an agent's screen to the snapshot from which the agent's activity is read. */
export function snapshotOf({ offset, title, alternateScreen, text }: ScreenView, settled: boolean): ScreenSnapshot {
  return { offset, title, alternateScreen, lines: text.split('\n'), settled };
}

/** Reads a screen repeatedly while output is printed, the last time after the screen has settled. */
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
  /** Whether another read was requested since the read in progress started. */
  let requested = false;
  let closed = false;

  function scheduleRead(): void {
    timer = setTimeout(() => void read(), pause).unref();
  }

  async function read(): Promise<void> {
    timer = undefined;
    busy = true;
    requested = false;
    // If the screen cannot be read now, it is read again later.
    const view = await peek().catch(() => undefined);
    busy = false;
    if (closed) return;
    // `quiet` is computed after the read, because the screen may be only partly drawn if the agent printed during the
    // read.
    const quiet = now() - printedAt >= SCREEN_SETTLED_MS;
    const settled = quiet && view !== undefined && view.offset >= tail;
    // An incomplete screen is skipped: during a flood of output it may lack important lines.
    if (view?.complete === true) onSnapshot(snapshotOf(view, settled));
    if (settled && !requested) return;
    pause = quiet ? Math.min(pause * 2, SCREEN_POLL_MAX_MS) : SCREEN_POLL_MS;
    scheduleRead();
  }

  return {
    printed(offset) {
      tail = offset;
      printedAt = now();
      if (timer === undefined && !busy && !closed) {
        pause = SCREEN_POLL_MS;
        scheduleRead();
      }
    },
    again() {
      requested = true;
      if (timer !== undefined || busy || closed) return;
      pause = SCREEN_POLL_MS;
      scheduleRead();
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
