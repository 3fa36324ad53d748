import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { OperationName, OutputOf, RequestOf } from '@agent-console/shared/operations/table';

export interface EventListener {
  event(event: ConsoleEvent): void;
  /** Called when some missed events are no longer stored, so that the current state must be read again. */
  gap(): void;
  /**
   * Called when the console has been unreachable for CLIENT_RETRY_MS, or has rejected the request for events. Attempts
   * to connect continue after this call.
   */
  unreachable(error: Error): void;
}

/** The part of the console that an editor needs: calls of operations, and events. */
export interface EditorConsole {
  /**
   * Calls an operation. Repeats the call while the console restarts, with the same idempotency key. An operation that
   * accepts no such key may be called only if repeating the call has no further effect.
   * @throws ConsoleError
   */
  call<N extends OperationName>(name: N, input: RequestOf<N>): Promise<OutputOf<N>>;
  /**
   * Reports every event from now on, including those that occur while the console is unreachable. Resolves when the
   * event stream is open. Rejects if it cannot be opened, and reports no events.
   */
  follow(listener: EventListener, signal: AbortSignal): Promise<void>;
}
