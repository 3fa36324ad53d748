import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { SCREEN_KEPT_MS } from '@agent-console/shared/limits/screens';
import type { Runner } from '../ports/runner.ts';
import type { Screens } from '../ports/screens.ts';
import type { OutputStreams } from '../ports/terminals.ts';
import { dropCheckpoint } from './checkpoint.ts';
import { ThreadHost } from './host.ts';
import { Screen } from './screen.ts';

export interface ScreensOptions {
  runner: Runner;
  /** Late, since the streams begin with pictures of these screens. */
  streams(): Pick<OutputStreams, 'follow'>;
  /** The data directory; a screen is stored in its worker's folder. */
  home: string;
  /** The built program of the thread. */
  program: string | URL;
  onError(error: unknown, workerId: string | undefined): void;
  /** Milliseconds where they differ from the product's. */
  keptMs?: number;
  hangMs?: number;
}

interface Held {
  screen: Screen;
  holds: number;
  letGo: NodeJS.Timeout | undefined;
}

/** The screens of this server, as the application layer, the streams and `app.ts` see them. */
export interface ServerScreens extends Screens {
  /** An agent's process runs: its screen is kept until it ends, and answers its queries. */
  opened(workerId: string): void;
  /** The picture a viewer starts with; it may stand a little before the newest output. */
  snapshotOf(workerId: string): Promise<{ offset: number; cols: number; rows: number; data: string }>;
  /**
   * The same streams, keeping the screen of whatever is viewed: a shell's program asks its terminal questions too, and
   * nobody but a viewer can have started one.
   */
  attended(streams: OutputStreams): OutputStreams;
  close(): Promise<void>;
}

export function createScreens(options: ScreensOptions): ServerScreens {
  const { runner, home, program, keptMs = SCREEN_KEPT_MS } = options;
  const host = new ThreadHost({
    program,
    onError: (error) => options.onError(error, undefined),
    ...(options.hangMs === undefined ? {} : { hangMs: options.hangMs }),
  });
  const screens = new Map<string, Held>();
  const agents = new Map<string, () => void>();
  const fileOf = (workerId: string) => join(home, 'workers', workerId, 'screen.json');
  let closed = false;

  /** Keeps a worker's screen until the answered function is called. */
  function hold(workerId: string, answersFrom: 'stored' | 'now'): () => void {
    let held = screens.get(workerId);
    if (held === undefined) {
      const screen = new Screen({
        host,
        runner,
        streams: options.streams(),
        workerId,
        file: fileOf(workerId),
        answersFrom,
        onError: (error) => options.onError(error, workerId),
        onEnded: () => agents.get(workerId)?.(),
      });
      held = { screen, holds: 0, letGo: undefined };
      screens.set(workerId, held);
    }
    const mine = held;
    mine.holds += 1;
    clearTimeout(mine.letGo);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      mine.holds -= 1;
      if (mine.holds > 0 || screens.get(workerId) !== mine || closed) return;
      mine.letGo = setTimeout(() => {
        screens.delete(workerId);
        void mine.screen.close();
      }, keptMs).unref();
    };
  }

  async function withScreen<T>(workerId: string, ask: (screen: Screen) => Promise<T>): Promise<T> {
    const release = hold(workerId, 'now');
    try {
      const held = screens.get(workerId);
      if (held === undefined || closed) throw new Error('The console is stopping.');
      return await ask(held.screen);
    } catch (cause) {
      if (cause instanceof ConsoleError) throw cause;
      throw new ConsoleError('BUSY', 'The screen cannot be shown now. Try again.', { workerId }, { cause });
    } finally {
      release();
    }
  }

  return {
    opened(workerId) {
      if (agents.has(workerId) || closed) return;
      const release = hold(workerId, 'stored');
      agents.set(workerId, () => {
        agents.delete(workerId);
        release();
      });
    },

    view: (workerId, { scrollback, format }) => withScreen(workerId, (screen) => screen.view(scrollback, format)),

    peek: (workerId) => withScreen(workerId, (screen) => screen.peek()),

    snapshotOf: (workerId) => withScreen(workerId, (screen) => screen.snapshot()),

    async lines(workerId, { lead, data, ended }) {
      const known = await runner.list().catch(() => []);
      const info = known.find((process) => process.workerId === workerId);
      const { cols, rows } = info ?? { cols: 120, rows: 36 };
      try {
        return await host.ask({ about: 'lines', lead, data, cols: Math.max(2, cols), rows: Math.max(1, rows), ended });
      } catch (cause) {
        throw new ConsoleError('BUSY', 'The output cannot be rendered now. Try again.', { workerId }, { cause });
      }
    },

    async drop(workerId) {
      const held = screens.get(workerId);
      screens.delete(workerId);
      agents.delete(workerId);
      clearTimeout(held?.letGo);
      await held?.screen.close();
      await dropCheckpoint(fileOf(workerId));
    },

    attended(streams) {
      return {
        follow: (...given) => streams.follow(...given),
        offset: (workerId) => streams.offset(workerId),
        view(workerId, fromOffset, viewer) {
          const release = hold(workerId, 'now');
          const view = streams.view(workerId, fromOffset, {
            onData: (offset, data) => viewer.onData(offset, data),
            onSnapshot: (snapshot) => viewer.onSnapshot(snapshot),
            onResized: (event) => viewer.onResized(event),
            onExit(exit) {
              release();
              viewer.onExit(exit);
            },
            onFailed(error) {
              release();
              viewer.onFailed(error);
            },
          });
          return {
            acked: (offset) => view.acked(offset),
            drained: () => view.drained(),
            close() {
              release();
              view.close();
            },
          };
        },
      };
    },

    async close() {
      closed = true;
      for (const { letGo } of screens.values()) clearTimeout(letGo);
      await Promise.all([...screens.values()].map(({ screen }) => screen.close()));
      screens.clear();
      await host.close();
    },
  };
}
