import { SCREEN_GLANCE_MAX_MS, SCREEN_GLANCE_MS, SCREEN_SETTLED_MS } from '@agent-console/shared/limits/signs';
import type { ScreenSnapshot } from '../../ports/agents.ts';
import type { ScreenView } from '../../ports/screens.ts';

export interface ScreenPoller {
  /** Output up to this offset was printed. */
  printed(offset: number): void;
  /** Something else said that there is something to see. */
  again(): void;
  close(): void;
}

/** A screen as those see it who read it. */
export function snapshotOf({ offset, title, alternateScreen, text }: ScreenView, settled: boolean): ScreenSnapshot {
  return { offset, title, alternateScreen, lines: text.split('\n'), settled };
}

/** Looks at a screen while something is printed on it, and once when it has settled. */
export function pollScreen(
  peek: () => Promise<ScreenView>,
  onSnapshot: (picture: ScreenSnapshot) => void,
  now: () => number,
): ScreenPoller {
  let tail = 0;
  let printedAt = 0;
  let pause = SCREEN_GLANCE_MS;
  let timer: NodeJS.Timeout | undefined;
  let busy = false;
  /** A look that is under way may be of before. */
  let wanted = false;
  let closed = false;

  function lookLater(): void {
    timer = setTimeout(() => void look(), pause).unref();
  }

  async function look(): Promise<void> {
    timer = undefined;
    busy = true;
    wanted = false;
    // A screen that cannot be seen now is looked at again.
    const view = await peek().catch(() => undefined);
    busy = false;
    if (closed) return;
    // Asked behind the look: what was printed during it may be half painted in what was seen.
    const quiet = now() - printedAt >= SCREEN_SETTLED_MS;
    const settled = quiet && view !== undefined && view.offset >= tail;
    // What a flood left out of a screen may be what matters.
    if (view?.complete === true) onSnapshot(snapshotOf(view, settled));
    if (settled && !wanted) return;
    pause = quiet ? Math.min(pause * 2, SCREEN_GLANCE_MAX_MS) : SCREEN_GLANCE_MS;
    lookLater();
  }

  return {
    printed(offset) {
      tail = offset;
      printedAt = now();
      if (timer === undefined && !busy && !closed) {
        pause = SCREEN_GLANCE_MS;
        lookLater();
      }
    },
    again() {
      wanted = true;
      if (timer !== undefined || busy || closed) return;
      pause = SCREEN_GLANCE_MS;
      lookLater();
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
