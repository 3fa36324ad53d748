import type { InputOf, OperationName, OutputOf } from '@agent-console/shared/operations/table';
import type { Call } from '../domain/call.ts';
import type { Caller } from '../domain/caller.ts';
import type { EngineContext } from '../engine/context.ts';
import type { Views } from './views.ts';

/** The one door to every operation: validate, authorize, run, audit. */
export interface Gate {
  /**
   * Runs an operation by name with unchecked input. Rejects with a ConsoleError, always; a bug is INTERNAL with a
   * `requestId` in its details.
   */
  run<N extends OperationName>(name: N, input: unknown, call: Call): Promise<OutputOf<N>>;
  /**
   * All that comes before an operation runs, for a caller who wants to be told of what it would answer: the input with
   * whole ids. Rejects as `run` does.
   */
  check(name: OperationName, input: unknown, call: Call): Promise<Record<string, unknown>>;
  /**
   * Writes down a call that its surface refused before it could be run: its arguments made no sense, or its caller had
   * gone. `name` is the operation's, or the protocol's own word where none was found. Never rejects.
   */
  refused(name: string, error: unknown, call: Pick<Call, 'caller' | 'surface'>, startedAt: number): Promise<void>;
  /** Whether this caller could call the operation at all, before any target is known: what a tool list may show. */
  mayCall(name: OperationName, caller: Caller): boolean;
}

/** An operation's own code: valid input and an authorized caller in, output out. */
export type Implementation<N extends OperationName> = (input: InputOf<N>, call: Call) => Promise<OutputOf<N>>;

/** Everything an operation may ask for; each takes the part it needs. */
export interface OperationContext extends EngineContext {
  views: Views;
}

/** One implementation for every name in the table: a contract without one does not compile. */
export type Implementations = { [N in OperationName]: Implementation<N> };

/** How a repeat of an operation is answered when what was remembered has moved on since. */
export type Replays = {
  [N in OperationName]?: (remembered: Record<string, unknown>, call: Call) => Promise<OutputOf<N>>;
};
