import { ConsoleError } from '@agent-console/shared/errors';
import { RUNNER_INPUT_QUEUE_BYTES } from '@agent-console/shared/limits/runner';
import { INPUT_IDS_KEPT } from '@agent-console/shared/limits/streams';
import type { InputReceipt } from '../port.ts';

/**
 * First delay in milliseconds before input is sent again to a process that does not read it. The delay doubles, up to
 * RETRY_MAX_MS, until the process reads some input.
 */
const RETRY_MIN_MS = 1;
const RETRY_MAX_MS = 16;

interface Waiting {
  inputId: string;
  rest: Buffer;
  offset: number | undefined;
  resolve(offset: number): void;
  reject(error: Error): void;
}

export interface InputTarget {
  workerId: string;
  /** Writes without waiting and returns the number of bytes accepted, as `Driver.write` does. */
  write(data: Buffer): number;
  /** Log offset of the next byte that the process prints. */
  offset(): number;
}

/**
 * Queue of the inputs of a process. Each input is typed completely before the next. An input with the id of an earlier
 * input is not typed again.
 */
export class InputQueue {
  readonly #target: InputTarget;
  readonly #taken = new Map<string, number>();
  readonly #promises = new Map<string, Promise<number>>();
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #retryMs = RETRY_MIN_MS;
  #ended = false;

  constructor(target: InputTarget) {
    this.#target = target;
  }

  /**
   * Types an input; resolves when the kernel has accepted all bytes. The bytes are copied.
   * @throws BUSY when too much is queued, NOT_FOUND when the process has ended, CONFLICT when the process accepts no
   * input.
   */
  async add(inputId: string, data: Buffer): Promise<InputReceipt> {
    const before = this.#taken.get(inputId) ?? this.#promises.get(inputId);
    if (before !== undefined) return { offset: await before, duplicate: true };
    if (this.#ended) throw endedError(this.#target.workerId);
    if (this.#waitingBytes > 0 && this.#waitingBytes + data.length > RUNNER_INPUT_QUEUE_BYTES) {
      throw new ConsoleError('BUSY', 'The worker is not reading its input. Try again later', {
        workerId: this.#target.workerId,
        waitingBytes: this.#waitingBytes,
      });
    }
    const promise = new Promise<number>((resolve, reject) => {
      this.#waiting.push({ inputId, rest: Buffer.from(data), offset: undefined, resolve, reject });
    });
    this.#promises.set(inputId, promise);
    this.#waitingBytes += data.length;
    if (this.#timer === undefined) this.#write();
    return { offset: await promise, duplicate: false };
  }

  /** Rejects queued input because the process has ended. */
  end(): void {
    this.#ended = true;
    this.#fail(endedError(this.#target.workerId));
  }

  #write(): void {
    this.#timer = undefined;
    for (let input = this.#waiting[0]; input !== undefined; input = this.#waiting[0]) {
      input.offset ??= this.#target.offset();
      let bytes = 0;
      try {
        if (input.rest.length > 0) bytes = this.#target.write(input.rest);
      } catch (cause) {
        const { workerId } = this.#target;
        const details = { workerId };
        this.#fail(
          new ConsoleError('CONFLICT', 'The worker no longer accepts input. End it, then start it again', details, {
            cause,
          }),
        );
        return;
      }
      input.rest = input.rest.subarray(bytes);
      this.#waitingBytes -= bytes;
      if (input.rest.length > 0 && bytes === 0) {
        this.#retry();
        return;
      }
      this.#retryMs = RETRY_MIN_MS;
      if (input.rest.length === 0) this.#done(input, input.offset);
    }
  }

  #retry(): void {
    this.#timer = setTimeout(() => this.#write(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
  }

  #done(input: Waiting, offset: number): void {
    this.#waiting.shift();
    this.#promises.delete(input.inputId);
    this.#taken.set(input.inputId, offset);
    if (this.#taken.size > INPUT_IDS_KEPT) {
      const [oldest] = this.#taken.keys();
      if (oldest !== undefined) this.#taken.delete(oldest);
    }
    input.resolve(offset);
  }

  #fail(error: ConsoleError): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const failed = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const input of failed) {
      this.#promises.delete(input.inputId);
      input.reject(error);
    }
  }
}

export function endedError(workerId: string): ConsoleError {
  return new ConsoleError('NOT_FOUND', `Worker ${workerId} no longer has a process. Start it again`, { workerId });
}
