import type { InputOf, OperationName, OutputOf } from '@agent-console/shared/operations/table';
import type { Call } from '../domain/call.ts';
import type { Caller } from '../domain/caller.ts';
import type { EngineContext } from '../engine/context.ts';
import type { StartingSessions } from '../engine/sessions/starting-sessions.ts';
import type { Views } from './views.ts';

/** The only way to run an operation: validates, authorizes, runs and audits the call. */
export interface Gate {
  /**
   * Runs an operation by name with unchecked input. Every rejection is a ConsoleError. An error that is caused by
   * a bug has the code INTERNAL, and a `requestId` in its details.
   */
  run<N extends OperationName>(name: N, input: unknown, call: Call): Promise<OutputOf<N>>;
  /**
   * Validates and authorizes a call without running it, for a client that subscribes to the operation's result.
   * Resolves to the input with full ids, and rejects like `run`.
   */
  check(name: OperationName, input: unknown, call: Call): Promise<Record<string, unknown>>;
  /**
   * Adds to the audit log a call that its surface rejected before the operation ran, for example because of invalid
   * arguments. `name` is the operation's name or, if the call names no operation, the protocol's name for the call.
   * Never rejects.
   */
  refused(name: string, error: unknown, call: Pick<Call, 'caller' | 'surface'>, startedAt: number): Promise<void>;
  /** Whether this caller may call the operation for at least one session. Used to filter tool lists. */
  mayCall(name: OperationName, caller: Caller): boolean;
}

/** The code of one operation. The input is already validated and the caller authorized. */
export type Implementation<N extends OperationName> = (input: InputOf<N>, call: Call) => Promise<OutputOf<N>>;

export interface OperationContext extends EngineContext {
  views: Views;
  startingSessions: StartingSessions;
}

/** This type makes a contract without an implementation a compile error. */
export type Implementations = { [N in OperationName]: Implementation<N> };

/**
 * Functions that answer a repeated call of an operation from the data that the first call stored and the current state.
 */
export type Replays = {
  [N in OperationName]?: (remembered: Record<string, unknown>, call: Call) => Promise<OutputOf<N>>;
};
