import { fieldError } from '@agent-console/shared/errors';
import type { Caller } from './caller.ts';

/** Context of a call, provided by its surface. */
export interface Call {
  caller: Caller;
  surface: 'rest' | 'mcp' | 'websocket';
  /** Aborts when the caller disconnects. Waiting then ends, but the work continues. */
  signal: AbortSignal;
  /** From the `Idempotency-Key` header. The gate reads the input field `idempotencyKey` itself. */
  idempotencyKey?: string;
  /** Resolves to whether the response was sent to the caller; undefined if the surface cannot know. */
  delivered?: Promise<boolean>;
  /** Set by the gate. Identifies repeats of this call. */
  idempotency?: { caller: string; operation: string; key: string; bodySha256: string };
}

/** Returns the named session, or the caller's own. @throws UNAUTHENTICATED if a person names none. */
export function sessionOrOwn(sessionId: string | undefined, call: Call): string {
  if (sessionId !== undefined) return sessionId;
  if (call.caller.kind === 'worker') return call.caller.sessionId;
  throw fieldError(
    'sessionId',
    'is required because this call does not come from a session; or call as an agent in a session, with the token issued to it',
    {},
    'UNAUTHENTICATED',
  );
}
