import { SERVER_CHECKS_MISSED_MAX } from '@agent-console/shared/limits/runner';
import { journal } from './journal.ts';

export interface HangWatchOptions {
  /** Time without any answer, after which the server counts as hung. */
  hangMs: number;
  check(): void;
  /** Called once when the server hangs. */
  hung(): void;
}

/**
 * Detects that a server's event loop is blocked. Sends checks at equal intervals; several unanswered checks in a row
 * mean a hang. Timers and `performance.now()` follow CLOCK_MONOTONIC, which stops while a Linux machine is suspended.
 * If this process itself was not running for any reason, counting restarts.
 */
export class HangWatch {
  readonly #options: HangWatchOptions;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout;
  #dueAt = 0;
  #answered = true;
  #missed = 0;

  constructor(options: HangWatchOptions) {
    this.#options = options;
    this.#intervalMs = options.hangMs / SERVER_CHECKS_MISSED_MAX;
    this.#timer = this.#plan();
  }

  answered(): void {
    this.#answered = true;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #plan(): NodeJS.Timeout {
    this.#dueAt = performance.now() + this.#intervalMs;
    return setTimeout(() => this.#tick(), this.#intervalMs);
  }

  #tick(): void {
    const lateMs = performance.now() - this.#dueAt;
    if (lateMs > this.#intervalMs / 2) {
      journal(`the runner was not running for ${Math.round(lateMs)} ms, so it restarts counting missed server checks`);
      this.#missed = 0;
    } else {
      this.#missed = this.#answered ? 0 : this.#missed + 1;
      if (this.#missed > 0) journal(`the server missed ${this.#missed} of ${SERVER_CHECKS_MISSED_MAX} checks`);
    }
    if (this.#missed >= SERVER_CHECKS_MISSED_MAX) {
      this.#options.hung();
      return;
    }
    this.#answered = false;
    this.#timer = this.#plan();
    this.#options.check();
  }
}
