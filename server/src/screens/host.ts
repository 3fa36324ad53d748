import { Worker } from 'node:worker_threads';
import {
  SCREEN_HANG_MS,
  SCREEN_HEAP_MB,
  SCREEN_RESTART_MAX_MS,
  SCREEN_RESTART_MS,
  SCREEN_THREAD_IDLE_MS,
  SCREEN_THREAD_STABLE_MS,
} from '@agent-console/shared/limits/screens';
import type { FromThread, Question, Reply, ToThread } from './messages.ts';

/** Receives reports from the screen thread about one screen. */
export interface ScreenListener {
  onWrote(bytes: number): void;
  onAnswer(answer: { offset: number; nth: number; data: string }): void;
  /** Called when the terminal failed on some output and continues after it. The screen may be incomplete. */
  onFault(error: Error): void;
  /** Called when the thread has died with all its state. The screen may be opened again. */
  onLost(): void;
}

interface ThreadLife {
  worker: Worker;
  since: number;
  /** Number of writes and questions that the thread has not confirmed or answered yet. */
  pending: number;
  lastAnswerAt: number;
  requests: Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>;
  watch: NodeJS.Timeout;
}

export interface HostOptions {
  /** Path of the built program that runs in the screen thread. */
  program: string | URL;
  onError(error: unknown): void;
  /** Milliseconds after which an unresponsive thread is restarted. Default: SCREEN_HANG_MS. */
  hangMs?: number;
}

/**
 * Manages the single thread that runs all screens. The thread starts with the first screen, ends some time after the
 * last screen was removed, and restarts when it dies or hangs. All its state can be rebuilt.
 */
export class ThreadHost {
  readonly #options: HostOptions;
  readonly #screens = new Map<number, ScreenListener>();
  #life: ThreadLife | undefined;
  #lastScreen = 0;
  #lastRequest = 0;
  #pause = SCREEN_RESTART_MS;
  #restart: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  add(listener: ScreenListener): number {
    this.#lastScreen += 1;
    this.#screens.set(this.#lastScreen, listener);
    clearTimeout(this.#idle);
    return this.#lastScreen;
  }

  remove(screen: number): void {
    if (!this.#screens.delete(screen)) return;
    this.#life?.worker.postMessage({ type: 'close', screen } satisfies ToThread);
    this.#endWhenIdle();
  }

  /**
   * Sends a message to the thread. Returns false if the thread has ended and must not be restarted yet. As soon as it
   * may be restarted, `onLost` of each screen is called.
   */
  send(message: ToThread, transfer: ArrayBuffer[] = []): boolean {
    const life = this.#alive();
    if (life === undefined) return false;
    if (message.type === 'write') this.#countPending(life);
    life.worker.postMessage(message, transfer);
    return true;
  }

  /** Sends a question to the thread. Rejects if the thread ends before it answers. */
  ask<Q extends Question>(question: Q, transfer: ArrayBuffer[] = []): Promise<Reply[Q['about']]> {
    const life = this.#alive();
    if (life === undefined) return Promise.reject(new Error('The screen thread is restarting.'));
    this.#lastRequest += 1;
    const request = this.#lastRequest;
    return new Promise<Reply[Q['about']]>((resolve, reject) => {
      life.requests.set(request, { resolve: resolve as (value: unknown) => void, reject });
      this.#countPending(life);
      life.worker.postMessage({ type: 'ask', request, question } satisfies ToThread, transfer);
    }).finally(() => this.#endWhenIdle());
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#restart);
    const life = this.#life;
    this.#life = undefined;
    if (life === undefined) return;
    clearInterval(life.watch);
    for (const { reject } of life.requests.values()) reject(new Error('The console is stopping.'));
    await life.worker.terminate();
  }

  #alive(): ThreadLife | undefined {
    if (this.#life !== undefined || this.#closed || this.#restart !== undefined) return this.#life;
    const worker = new Worker(this.#options.program, {
      name: 'screens',
      // The thread gets no environment variables, because it needs none of the server's settings or secrets.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: SCREEN_HEAP_MB },
    });
    const now = performance.now();
    const life: ThreadLife = {
      worker,
      since: now,
      pending: 0,
      lastAnswerAt: now,
      requests: new Map(),
      watch: this.#watch(),
    };
    worker.unref();
    worker.on('message', (message: FromThread) => this.#receive(life, message));
    worker.on('error', (error) => this.#options.onError(error));
    worker.on('exit', () => this.#lost(life));
    this.#life = life;
    return life;
  }

  #countPending(life: ThreadLife): void {
    if (life.pending === 0) life.lastAnswerAt = performance.now();
    life.pending += 1;
  }

  #watch(): NodeJS.Timeout {
    const limit = this.#options.hangMs ?? SCREEN_HANG_MS;
    return setInterval(() => {
      const life = this.#life;
      if (life === undefined || life.pending === 0 || performance.now() - life.lastAnswerAt < limit) return;
      this.#options.onError(new Error(`The screen thread did not respond for ${limit} ms and is being restarted.`));
      void life.worker.terminate();
    }, limit / 4).unref();
  }

  #receive(life: ThreadLife, message: FromThread): void {
    if (life !== this.#life) return;
    life.lastAnswerAt = performance.now();
    if (message.type === 'wrote') {
      life.pending -= 1;
      this.#screens.get(message.screen)?.onWrote(message.bytes);
    } else if (message.type === 'answer') {
      this.#screens.get(message.screen)?.onAnswer(message);
    } else if (message.type === 'fault') {
      const where = `The terminal emulator failed on the output that ends at offset ${message.offset}: ${message.message}`;
      this.#screens.get(message.screen)?.onFault(new Error(where));
    } else {
      life.pending -= 1;
      const request = life.requests.get(message.request);
      life.requests.delete(message.request);
      if (message.type === 'reply') request?.resolve(message.value);
      else request?.reject(new Error(message.message));
    }
  }

  #lost(life: ThreadLife): void {
    clearInterval(life.watch);
    for (const { reject } of life.requests.values()) reject(new Error('The screen thread ended before it answered.'));
    if (this.#life !== life) return;
    this.#life = undefined;
    const wasStable = performance.now() - life.since > SCREEN_THREAD_STABLE_MS;
    const pause = wasStable ? SCREEN_RESTART_MS : this.#pause;
    this.#pause = Math.min(pause * 2, SCREEN_RESTART_MAX_MS);
    this.#restart = setTimeout(() => {
      this.#restart = undefined;
      for (const listener of [...this.#screens.values()]) listener.onLost();
    }, pause).unref();
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#screens.size > 0 || this.#life === undefined) return;
    this.#idle = setTimeout(() => {
      const life = this.#life;
      if (this.#screens.size > 0 || life === undefined || life.requests.size > 0) return;
      this.#life = undefined;
      clearInterval(life.watch);
      void life.worker.terminate();
    }, SCREEN_THREAD_IDLE_MS).unref();
  }
}
