import { randomUUID } from 'node:crypto';
import { ConsoleError } from '@agent-console/shared/errors';
import { SOCKET_INPUT_BYTES } from '@agent-console/shared/limits/connections';
import type { Terminals } from '../../ports/terminals.ts';
import { asConsoleError, type Connection } from './connection.ts';

type KeyInput =
  | { kind: 'input'; inputId: string | undefined; data: Buffer }
  | { kind: 'resize'; cols: number; rows: number };

/**
 * Passes a connection's input and resizes to its terminal, in order. When more than SOCKET_INPUT_BYTES are queued, the
 * socket is not read until less than half of this size is queued. Received input is typed even if the peer disconnects.
 */
export class Keyboard {
  readonly #terminals: Terminals;
  readonly #connection: Connection;
  readonly #workerId: string;
  readonly #queue: KeyInput[] = [];
  #bytes = 0;
  #busy = false;
  #paused = false;

  constructor(terminals: Terminals, connection: Connection, workerId: string) {
    this.#terminals = terminals;
    this.#connection = connection;
    this.#workerId = workerId;
  }

  /**
   * @param inputId id that the peer chose for this input. The frame that reports the result to the peer contains it.
   */
  type(inputId: string | undefined, data: Buffer): void {
    this.#queue.push({ kind: 'input', inputId, data });
    this.#bytes += data.length;
    if (this.#bytes > SOCKET_INPUT_BYTES && !this.#paused) {
      this.#paused = true;
      this.#connection.pauseReading();
    }
    void this.#run();
  }

  /**
   * Resizes the terminal. Replaces the last item in the queue if it is also a resize, because only the last size
   * matters.
   */
  resize(cols: number, rows: number): void {
    if (this.#queue.at(-1)?.kind === 'resize') this.#queue.pop();
    this.#queue.push({ kind: 'resize', cols, rows });
    void this.#run();
  }

  async #run(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let input = this.#queue.shift(); input !== undefined; input = this.#queue.shift()) {
      try {
        if (input.kind === 'input') await this.#type(input.inputId, input.data);
        else await this.#terminals.resize(this.#workerId, input.cols, input.rows);
      } catch (error) {
        this.#connection.sendError(error);
      }
      if (input.kind === 'input') this.#bytes -= input.data.length;
      if (this.#paused && this.#bytes < SOCKET_INPUT_BYTES / 2) {
        this.#paused = false;
        this.#connection.resumeReading();
      }
    }
    this.#busy = false;
  }

  async #type(inputId: string | undefined, data: Buffer): Promise<void> {
    if (inputId === undefined) {
      await this.#terminals.type(this.#workerId, randomUUID(), data);
      return;
    }
    try {
      await this.#terminals.type(this.#workerId, inputId, data);
    } catch (error) {
      const { code, message, details, retryable } = asConsoleError(error);
      throw new ConsoleError(code, message, { ...details, inputId }, { cause: error, retryable });
    }
    this.#connection.send({ type: 'accepted', inputId });
  }
}
