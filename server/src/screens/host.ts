import { Worker } from 'node:worker_threads';
import {
  SCREEN_HANG_MS,
  SCREEN_HEAP_MB,
  SCREEN_RESTART_MAX_MS,
  SCREEN_RESTART_MS,
  SCREEN_THREAD_IDLE_MS,
  SCREEN_THREAD_STEADY_MS,
} from '@agent-console/shared/limits/screens';
import type { FromThread, Question, Reply, ToThread } from './messages.ts';

/** What a screen hears from the thread. */
export interface ScreenListener {
  onWrote(bytes: number): void;
  onAnswer(answer: { offset: number; nth: number; data: string }): void;
  /** The terminal failed at some output and goes on behind it; what it shows may not be whole. */
  onFault(error: Error): void;
  /** The thread died with everything in it; the screen may be opened again. */
  onLost(): void;
}

interface Life {
  worker: Worker;
  since: number;
  /** Messages that will be answered. */
  due: number;
  heardAt: number;
  asked: Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>;
  watch: NodeJS.Timeout;
}

export interface HostOptions {
  /** The built program of the thread. */
  program: string | URL;
  onError(error: unknown): void;
  /** Milliseconds after which a silent thread is given up, where they differ from the product's. */
  hangMs?: number;
}

/**
 * The one thread of all screens: started with the first, ended some time after the last, started again when it dies or
 * hangs. Nothing in it is precious.
 */
export class ThreadHost {
  readonly #options: HostOptions;
  readonly #screens = new Map<number, ScreenListener>();
  #life: Life | undefined;
  #lastScreen = 0;
  #lastRequest = 0;
  #pause = SCREEN_RESTART_MS;
  #restart: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Adds a screen; answers its number. */
  add(listener: ScreenListener): number {
    this.#lastScreen += 1;
    this.#screens.set(this.#lastScreen, listener);
    clearTimeout(this.#idle);
    return this.#lastScreen;
  }

  remove(screen: number): void {
    if (!this.#screens.delete(screen)) return;
    this.#life?.worker.postMessage({ do: 'close', screen } satisfies ToThread);
    this.#endWhenIdle();
  }

  /** Sends a message; false when there is no thread now. The listener hears of its end, or of the next one's start. */
  send(message: ToThread, transfer: ArrayBuffer[] = []): boolean {
    const life = this.#alive();
    if (life === undefined) return false;
    if (message.do === 'write') this.#expect(life);
    life.worker.postMessage(message, transfer);
    return true;
  }

  /** Rejects when the thread ends before it has answered. */
  ask<Q extends Question>(question: Q, transfer: ArrayBuffer[] = []): Promise<Reply[Q['about']]> {
    const life = this.#alive();
    if (life === undefined) return Promise.reject(new Error('The thread of the screens is being started again.'));
    this.#lastRequest += 1;
    const request = this.#lastRequest;
    return new Promise<Reply[Q['about']]>((resolve, reject) => {
      life.asked.set(request, { resolve: resolve as (value: unknown) => void, reject });
      this.#expect(life);
      life.worker.postMessage({ do: 'ask', request, question } satisfies ToThread, transfer);
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
    for (const { reject } of life.asked.values()) reject(new Error('The console is stopping.'));
    await life.worker.terminate();
  }

  #alive(): Life | undefined {
    if (this.#life !== undefined || this.#closed || this.#restart !== undefined) return this.#life;
    const worker = new Worker(this.#options.program, {
      name: 'screens',
      // Nothing of the server's settings or secrets is needed there.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: SCREEN_HEAP_MB },
    });
    const now = performance.now();
    const life: Life = { worker, since: now, due: 0, heardAt: now, asked: new Map(), watch: this.#watch() };
    worker.unref();
    worker.on('message', (message: FromThread) => this.#hear(life, message));
    worker.on('error', (error) => this.#options.onError(error));
    worker.on('exit', () => this.#lost(life));
    this.#life = life;
    return life;
  }

  #expect(life: Life): void {
    if (life.due === 0) life.heardAt = performance.now();
    life.due += 1;
  }

  #watch(): NodeJS.Timeout {
    const limit = this.#options.hangMs ?? SCREEN_HANG_MS;
    return setInterval(() => {
      const life = this.#life;
      if (life === undefined || life.due === 0 || performance.now() - life.heardAt < limit) return;
      this.#options.onError(new Error(`The thread of the screens said nothing for ${limit} ms and is started again.`));
      void life.worker.terminate();
    }, limit / 4).unref();
  }

  #hear(life: Life, message: FromThread): void {
    if (life !== this.#life) return;
    life.heardAt = performance.now();
    if (message.tell === 'wrote') {
      life.due -= 1;
      this.#screens.get(message.screen)?.onWrote(message.bytes);
    } else if (message.tell === 'answer') {
      this.#screens.get(message.screen)?.onAnswer(message);
    } else if (message.tell === 'fault') {
      const where = `The terminal failed at the output before offset ${message.offset}: ${message.message}`;
      this.#screens.get(message.screen)?.onFault(new Error(where));
    } else {
      life.due -= 1;
      const asked = life.asked.get(message.request);
      life.asked.delete(message.request);
      if (message.tell === 'reply') asked?.resolve(message.value);
      else asked?.reject(new Error(message.message));
    }
  }

  #lost(life: Life): void {
    clearInterval(life.watch);
    for (const { reject } of life.asked.values()) reject(new Error('The thread of the screens ended.'));
    if (this.#life !== life) return;
    this.#life = undefined;
    const steady = performance.now() - life.since > SCREEN_THREAD_STEADY_MS;
    const pause = steady ? SCREEN_RESTART_MS : this.#pause;
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
      if (this.#screens.size > 0 || life === undefined || life.asked.size > 0) return;
      this.#life = undefined;
      clearInterval(life.watch);
      void life.worker.terminate();
    }, SCREEN_THREAD_IDLE_MS).unref();
  }
}
