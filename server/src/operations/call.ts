import type { InputOf, OperationName, OutputOf } from '@agent-console/shared/operations/table';
import type { Caller } from '../domain/caller.ts';

/** What a surface says about a call besides its input. */
export interface Call {
  caller: Caller;
  surface: 'rest' | 'mcp' | 'websocket';
  /** Aborts when the caller went away: waiting ends, work goes on. */
  signal: AbortSignal;
  /** From `Idempotency-Key` or the input's `idempotencyKey`. */
  idempotencyKey?: string;
}

/** The one door to every operation: validate, authorize, run, audit. */
export interface Gate {
  /**
   * Runs an operation by name with unchecked input. Rejects with a ConsoleError, always; a bug is INTERNAL with a
   * `requestId` in its details.
   */
  run<N extends OperationName>(name: N, input: unknown, call: Call): Promise<OutputOf<N>>;
  /** Whether this caller could call the operation at all, before any target is known: what a tool list may show. */
  mayCall(name: OperationName, caller: Caller): boolean;
}

/** An operation's own code: valid input and an authorized caller in, output out. */
export type Implementation<N extends OperationName> = (input: InputOf<N>, call: Call) => Promise<OutputOf<N>>;
