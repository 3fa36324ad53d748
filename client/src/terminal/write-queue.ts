/** The part of a terminal that parses output. `write` calls `done` when its data is on the screen. */
export interface OutputTarget {
  write(data: string | Uint8Array, done: () => void): void;
}

type Step = { data: string | Uint8Array; done: (() => void) | undefined } | { act: () => void };

/**
 * Queue of output to write and of actions such as a resize. The queue runs them in order although the parser is
 * asynchronous. It needs no size limit, because the console sends only a limited amount of unacknowledged output.
 */
export class WriteQueue {
  readonly #target: OutputTarget;
  #waiting: Step[] = [];
  #underway = 0;

  constructor(target: OutputTarget) {
    this.#target = target;
  }

  write(data: string | Uint8Array, done?: () => void): void {
    if (this.#waiting.length > 0) this.#waiting.push({ data, done });
    else this.#pass(data, done);
  }

  /** Runs `act` after all previous writes are on screen and before later writes. */
  act(act: () => void): void {
    this.#waiting.push({ act });
    this.#advance();
  }

  #pass(data: string | Uint8Array, done: (() => void) | undefined): void {
    this.#underway += 1;
    this.#target.write(data, () => {
      this.#underway -= 1;
      done?.();
      this.#advance();
    });
  }

  #advance(): void {
    for (let step = this.#waiting[0]; step !== undefined; step = this.#waiting[0]) {
      if ('act' in step && this.#underway > 0) return;
      this.#waiting.shift();
      if ('act' in step) step.act();
      else this.#pass(step.data, step.done);
    }
  }
}
