import { RUNNER_SLAB_BYTES, RUNNER_SLAB_SMALL_BYTES, RUNNER_SLABS_KEPT } from '@agent-console/shared/limits/runner';

/**
 * A read buffer that is reused when no consumer retains it. A missing `release` wastes memory, and an additional
 * `release` corrupts output. Every `retain` therefore protects one write, whose callback calls `release` exactly once.
 */
export class Slab {
  readonly buffer: Buffer;
  #holders = 1;
  readonly #onFree: (slab: Slab) => void;

  constructor(bytes: number, onFree: (slab: Slab) => void) {
    this.buffer = Buffer.allocUnsafeSlow(bytes);
    this.#onFree = onFree;
  }

  /** Whether no consumer retains the slab, so that its owner may overwrite it. */
  get ownedAlone(): boolean {
    return this.#holders === 1;
  }

  retain(): void {
    this.#holders += 1;
  }

  readonly release = (): void => {
    this.#holders -= 1;
    if (this.#holders === 0) this.#onFree(this);
  };
}

const free: Slab[] = [];

function keep(slab: Slab): void {
  if (free.length < RUNNER_SLABS_KEPT) free.push(slab);
}

/** Returns a buffer for the caller to use until `release`: a large one for a flood of output, otherwise a small one. */
export function takeSlab(size: 'small' | 'large'): Slab {
  if (size === 'small') return new Slab(RUNNER_SLAB_SMALL_BYTES, () => undefined);
  const slab = free.pop();
  if (slab === undefined) return new Slab(RUNNER_SLAB_BYTES, keep);
  slab.retain();
  return slab;
}
