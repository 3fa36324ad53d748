import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { SCREEN_UNUSED_MS } from '@agent-console/shared/limits/screens';
import type { Runner } from '../ports/runner.ts';
import type { Screens } from '../ports/screens.ts';
import type { OutputStreams } from '../ports/terminals.ts';
import { dropCheckpoint } from './checkpoint.ts';
import { ThreadHost } from './host.ts';
import { Screen } from './screen.ts';

export interface ScreensOptions {
  runner: Runner;
  /**
   * Returns the output streams. This is a function, because the streams use snapshots of the screens and are therefore
   * created after the screens.
   */
  streams(): Pick<OutputStreams, 'follow'>;
  /** The data directory. A screen is stored in its worker's folder. */
  home: string;
  /** Path of the built program that runs in the screens' thread. */
  program: string | URL;
  onError(error: unknown, workerId: string | undefined): void;
  /** Milliseconds after which an unused screen is closed. Default: SCREEN_UNUSED_MS. */
  keptMs?: number;
  /** Milliseconds after which an unresponsive thread is restarted. Default: SCREEN_HANG_MS. */
  hangMs?: number;
}

interface RetainedScreen {
  screen: Screen;
  references: number;
  /** Timer that closes the screen some time after the last reference was released. */
  closing: NodeJS.Timeout | undefined;
}

/** The `Screens` port, with members that only the server itself needs. */
export interface ServerScreens extends Screens {
  /** Retains the screen of a running agent until the agent ends, and answers the agent's terminal queries. */
  opened(workerId: string): void;
  /** Returns a snapshot with which a viewer starts. It may be slightly older than the newest output. */
  snapshotOf(workerId: string): Promise<{ offset: number; cols: number; rows: number; data: string }>;
  /**
   * Returns streams that retain the screen of every viewed worker, because the screen answers the terminal queries of
   * the worker's programs.
   */
  retainWhileViewed(streams: OutputStreams): OutputStreams;
  close(): Promise<void>;
}

export function createScreens(options: ScreensOptions): ServerScreens {
  const { runner, home, program, keptMs = SCREEN_UNUSED_MS } = options;
  const host = new ThreadHost({
    program,
    onError: (error) => options.onError(error, undefined),
    ...(options.hangMs === undefined ? {} : { hangMs: options.hangMs }),
  });
  const screens = new Map<string, RetainedScreen>();
  const agents = new Map<string, () => void>();
  const fileOf = (workerId: string) => join(home, 'workers', workerId, 'screen.json');
  let closed = false;

  /** Retains a worker's screen until the returned function is called. */
  function acquire(workerId: string, answersFrom: 'stored' | 'now'): () => void {
    let retained = screens.get(workerId);
    if (retained === undefined) {
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
      retained = { screen, references: 0, closing: undefined };
      screens.set(workerId, retained);
    }
    const own = retained;
    own.references += 1;
    clearTimeout(own.closing);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      own.references -= 1;
      if (own.references > 0 || screens.get(workerId) !== own || closed) return;
      own.closing = setTimeout(() => {
        screens.delete(workerId);
        void own.screen.close();
      }, keptMs).unref();
    };
  }

  async function withScreen<T>(workerId: string, ask: (screen: Screen) => Promise<T>): Promise<T> {
    const release = acquire(workerId, 'now');
    try {
      const retained = screens.get(workerId);
      if (retained === undefined || closed) throw new Error('The console is stopping.');
      return await ask(retained.screen);
    } catch (cause) {
      if (cause instanceof ConsoleError) throw cause;
      throw new ConsoleError('BUSY', 'The screen is currently unavailable. Try again.', { workerId }, { cause });
    } finally {
      release();
    }
  }

  return {
    opened(workerId) {
      if (agents.has(workerId) || closed) return;
      const release = acquire(workerId, 'stored');
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
        throw new ConsoleError('BUSY', 'The output currently cannot be rendered. Try again.', { workerId }, { cause });
      }
    },

    async drop(workerId) {
      const retained = screens.get(workerId);
      screens.delete(workerId);
      agents.delete(workerId);
      clearTimeout(retained?.closing);
      await retained?.screen.close();
      await dropCheckpoint(fileOf(workerId));
    },

    retainWhileViewed(streams) {
      return {
        ...streams,
        view(workerId, fromOffset, viewer) {
          const release = acquire(workerId, 'now');
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
            ...view,
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
      for (const { closing } of screens.values()) clearTimeout(closing);
      await Promise.all([...screens.values()].map(({ screen }) => screen.close()));
      screens.clear();
      await host.close();
    },
  };
}
