import {
  SCREEN_CHECKPOINT_BYTES,
  SCREEN_CHECKPOINT_MS,
  SCREEN_HISTORY_LINES,
  SCREEN_IDLE_MS,
  SCREEN_READ_MS,
} from '@agent-console/shared/limits/screens';
import type { Runner } from '../ports/runner.ts';
import type { ScreenView } from '../ports/screens.ts';
import type { OutputStreams } from '../ports/terminals.ts';
import { readCheckpoint, type TerminalState, writeCheckpoint } from './checkpoint.ts';
import { Feed } from './feed.ts';
import type { ThreadHost } from './host.ts';
import type { Question, Reply } from './messages.ts';

export interface ScreenOptions {
  host: ThreadHost;
  runner: Pick<Runner, 'read' | 'extent' | 'input' | 'list'>;
  streams: Pick<OutputStreams, 'follow'>;
  workerId: string;
  /** File in which the screen's state is stored. */
  file: string;
  /**
   * The offset from which the screen answers the program's terminal queries:
   * - `now`: the current end of the log;
   * - `stored`: the offset of the stored state. Without a stored state, the start of a small and complete log, or the
   *   end of any other log.
   */
  answersFrom: 'stored' | 'now';
  onError(error: unknown): void;
  /** Called when the output has ended and the last state is stored. */
  onEnded(): void;
}

const UNKNOWN_SIZE = { cols: 80, rows: 24 };

/**
 * A worker's screen. Its terminal runs in the screen thread. The screen is restored from its checkpoint and the log. It
 * then processes new output, answers requests, and stores its state in the checkpoint again.
 */
export class Screen {
  readonly #options: ScreenOptions;
  readonly #id: number;
  #feed: Feed | undefined;
  #opening: Promise<void>;
  #stored = 0;
  #storedAt = Number.NEGATIVE_INFINITY;
  #storing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when all answers so far were sent to the program. */
  #answers: Promise<void> = Promise.resolve();
  #closed = false;
  #ended = false;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#id = options.host.add({
      onWrote: (bytes) => {
        this.#feed?.wrote(bytes);
        this.#storeWhenDue();
        this.#storeSoon();
      },
      onAnswer: (answer) => this.#answer(answer),
      onFault: (error) => options.onError(error),
      onLost: () => {
        this.#opening = this.#open();
      },
    });
    this.#opening = this.#open();
  }

  view(scrollback: number, format: 'text' | 'ansi'): Promise<ScreenView> {
    return this.#ask({ about: 'view', screen: this.#id, scrollback, format });
  }

  /** Returns the screen as drawn so far, without waiting for newer output. */
  async peek(): Promise<ScreenView> {
    await this.#opening;
    return this.#options.host.ask({ about: 'view', screen: this.#id, scrollback: 0, format: 'text' });
  }

  snapshot(): Promise<{ offset: number; cols: number; rows: number; data: string }> {
    return this.#ask({ about: 'snapshot', screen: this.#id, history: SCREEN_HISTORY_LINES });
  }

  /** Stores the state if it has changed, then closes the screen. */
  async close(): Promise<void> {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    await this.#store();
    this.#closed = true;
    this.#feed?.close();
    this.#options.host.remove(this.#id);
  }

  async #open(): Promise<void> {
    this.#feed?.close();
    this.#feed = undefined;
    const { host, runner, streams, workerId, file } = this.#options;
    try {
      const [{ first, next }, stored, known] = await Promise.all([
        runner.extent(workerId),
        readCheckpoint(file),
        runner.list().catch(() => []),
      ]);
      if (this.#closed) return;
      const info = known.find((process) => process.workerId === workerId);
      const tail = Math.max(next, info?.logOffset ?? 0);
      // A stored state with an offset beyond the end of the log belongs to another log, so it is not used.
      const state = stored !== undefined && stored.offset <= tail ? stored : undefined;
      const offset = state?.offset ?? first;
      this.#stored = state?.offset ?? 0;
      const size = { cols: info?.cols ?? UNKNOWN_SIZE.cols, rows: info?.rows ?? UNKNOWN_SIZE.rows };
      const answersFrom = this.#answersFrom(state, first, tail);
      host.send({ type: 'open', screen: this.#id, ...size, offset, answersFrom, ...(state && { state }) });
      if (state === undefined && first > 0) host.send({ type: 'skip', screen: this.#id, offset: first, until: first });
      this.#feed = new Feed({
        runner,
        streams,
        workerId,
        offset,
        tail,
        sink: {
          write: (data) => void host.send({ type: 'write', screen: this.#id, data }, [data.buffer]),
          resize: (cols, rows) => void host.send({ type: 'resize', screen: this.#id, cols, rows }),
          skip: (to, until) => void host.send({ type: 'skip', screen: this.#id, offset: to, until }),
        },
        onEnd: () => void this.#end(),
        onFailed: (error) => this.#options.onError(error),
      });
    } catch (error) {
      this.#options.onError(error);
      throw error;
    } finally {
      // The requests that wait for the screen report the error. If there are none, this handler prevents an unhandled
      // rejection.
      this.#opening.catch(() => undefined);
    }
  }

  #answersFrom(state: TerminalState | undefined, first: number, tail: number): number {
    if (this.#options.answersFrom === 'now') return tail;
    if (state !== undefined) return state.offset;
    return first === 0 && tail < SCREEN_CHECKPOINT_BYTES ? 0 : tail;
  }

  async #ask<Q extends Question>(question: Q): Promise<Reply[Q['about']]> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#opening;
      const late = new Promise<void>((resolve) => setTimeout(resolve, SCREEN_READ_MS).unref());
      await Promise.race([this.#catchUp(), late]);
      try {
        return await this.#options.host.ask(question);
      } catch (error) {
        // The thread that runs this screen may have ended before it answered. The next thread opens the screen again,
        // and gets the same question.
        if (attempt === 3 || this.#closed) throw error;
        await new Promise((resolve) => setTimeout(resolve, SCREEN_IDLE_MS));
      }
    }
  }

  /**
   * Waits until the screen shows all output printed so far. Asks the runner for the end of the log, because the feed
   * may not have received the newest output yet.
   */
  async #catchUp(): Promise<void> {
    const { runner, workerId } = this.#options;
    const logged = await runner.extent(workerId).then(
      ({ next }) => next,
      () => 0,
    );
    await this.#feed?.caughtUp(logged);
  }

  /** Sends an answer to the program directly. The checks for keyboard input do not apply, because no user typed it. */
  #answer({ offset, nth, data }: { offset: number; nth: number; data: string }): void {
    const { runner, workerId } = this.#options;
    const inputId = `screen:${workerId}:${offset}${nth === 0 ? '' : `.${nth}`}`;
    this.#answers = this.#answers.then(async () => {
      // Errors are ignored, because a program that has ended or does not read needs no answer.
      await runner.input(workerId, inputId, Buffer.from(data)).catch(() => undefined);
    });
  }

  #storeWhenDue(): void {
    const reached = this.#feed?.reached ?? 0;
    if (reached - this.#stored < SCREEN_CHECKPOINT_BYTES) return;
    if (performance.now() - this.#storedAt >= SCREEN_CHECKPOINT_MS) void this.#store();
  }

  /** Stores the state after SCREEN_IDLE_MS without output. */
  #storeSoon(): void {
    if (this.#closed) return;
    if (this.#timer === undefined) this.#timer = setTimeout(() => void this.#store(), SCREEN_IDLE_MS).unref();
    else this.#timer.refresh();
  }

  /** Stores the state, one write at a time. Never rejects. */
  async #store(): Promise<void> {
    if (this.#storing !== undefined) return this.#storing;
    this.#storing = this.#storeNow().finally(() => {
      this.#storing = undefined;
    });
    return this.#storing;
  }

  async #storeNow(): Promise<void> {
    if (this.#closed || (this.#feed?.reached ?? 0) <= this.#stored) return;
    this.#storedAt = performance.now();
    try {
      const state = await this.#options.host.ask({ about: 'state', screen: this.#id });
      if (state === undefined || state.offset <= this.#stored) return;
      // A stored state means that all queries before its offset were answered, so the answers must be sent first.
      await this.#answers;
      await writeCheckpoint(this.#options.file, state);
      this.#stored = state.offset;
    } catch (error) {
      if (!this.#closed) this.#options.onError(error);
    }
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#storing;
    await this.#store();
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onEnded();
  }
}
