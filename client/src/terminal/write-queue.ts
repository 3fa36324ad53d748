/** A terminal's parser: takes data in order and says when each piece is on its screen. */
export interface OutputTarget {
  write(data: string | Uint8Array, done: () => void): void;
}

type Step = { data: string | Uint8Array; done: (() => void) | undefined } | { act: () => void };

/**
 * Puts what must happen between two bytes exactly there. The parser takes its time, so that a resize, done when it
 * arrives, would bend lines that were printed before it. What it holds is bounded by the window of the stream.
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

  /** Runs `act` when everything written so far is on the screen, and before anything written later. */
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
