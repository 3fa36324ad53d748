import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { OperationName, OutputOf, RequestOf } from '@agent-console/shared/operations/table';

export interface EventListener {
  event(event: ConsoleEvent): void;
  /** Some events are no longer stored, so the current state must be read again. */
  gap(): void;
  /** The console has been unreachable for CLIENT_RETRY_MS. It is still tried again. */
  unreachable(error: Error): void;
}

/** The console that an editor's sessions live in. */
export interface EditorConsole {
  /**
   * Calls an operation, again and again while the console restarts, all with the same idempotency key. An operation
   * without such a key may be called only if it has no further effect when repeated.
   * @throws ConsoleError
   */
  call<N extends OperationName>(name: N, input: RequestOf<N>): Promise<OutputOf<N>>;
  /** Reports every event from now on, also those of times when the console was unreachable. Resolves when it begins. */
  follow(listener: EventListener, signal: AbortSignal): Promise<void>;
}
