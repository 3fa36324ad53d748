import { fieldError } from '@agent-console/shared/errors';
import type { Caller } from './caller.ts';

/** Identity of a call, by which a repeated call is recognized. */
export interface Idempotency {
  caller: string;
  operation: string;
  key: string;
  bodySha256: string;
  /**
   * Whether the response was sent to the caller; null until that is known. `operations/gate.ts` sets it while the call
   * runs.
   */
  delivered: boolean | null;
}

/** Context of a call. Provided by the surface through which the call arrived, such as REST or MCP. */
export interface Call {
  caller: Caller;
  /** `acp`: a request that an agent sends over the Agent Client Protocol. Such a request is not an operation. */
  surface: 'rest' | 'mcp' | 'websocket' | 'acp';
  /**
   * Aborts when the caller disconnects. The operation then stops waiting for results, but work that it started
   * continues.
   */
  signal: AbortSignal;
  /**
   * Value of the `Idempotency-Key` header. The input field `idempotencyKey`, which callers can use instead, is read
   * from the input.
   */
  idempotencyKey?: string;
  /**
   * Whether a process of another Unix user of this machine sent the call, regardless of `caller`. Undefined if the
   * surface does not know the sender.
   */
  isFromOtherUser?: () => Promise<boolean>;
  /** Resolves to whether the response was sent to the caller; undefined if this cannot be known. */
  delivered?: Promise<boolean>;
  /**
   * Identity of this call, by which `operations/gate.ts` recognizes a repeated call. It is set before the operation
   * runs.
   */
  idempotency?: Idempotency;
}

/**
 * Returns `sessionId` or, if it is undefined, the id of the caller's own session.
 * @throws UNAUTHENTICATED if `sessionId` is undefined and the caller has no session.
 */
export function sessionOrOwn(sessionId: string | undefined, call: Call): string {
  if (sessionId !== undefined) return sessionId;
  if (call.caller.kind === 'worker') return call.caller.sessionId;
  throw fieldError(
    'sessionId',
    'is required, because this call does not come from an agent of the console; name a session, or call with the token that the console issued to an agent',
    {},
    'UNAUTHENTICATED',
  );
}
