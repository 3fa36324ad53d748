import { fieldError } from '@agent-console/shared/errors';
import type { Caller } from './caller.ts';

/** Context of a call, provided by its surface. */
export interface Call {
  caller: Caller;
  surface: 'rest' | 'mcp' | 'websocket';
  /** Aborts when the caller disconnects: waiting ends, work continues. */
  signal: AbortSignal;
  /** From the `Idempotency-Key` header. The gate reads the input field `idempotencyKey` itself. */
  idempotencyKey?: string;
  /** Resolves to whether the response was sent to the caller; undefined when the surface cannot know. */
  delivered?: Promise<boolean>;
  /** Set by the gate. Identifies a repetition of this call. */
  idempotency?: { caller: string; operation: string; key: string; bodySha256: string };
}

/** The named session, else the caller's own. @throws UNAUTHENTICATED when a person names none. */
export function sessionOrOwn(sessionId: string | undefined, call: Call): string {
  if (sessionId !== undefined) return sessionId;
  if (call.caller.kind === 'worker') return call.caller.sessionId;
  throw fieldError(
    'sessionId',
    'this call comes from no session; name one, or call as an agent in a session, with the token that the console gave it',
    {},
    'UNAUTHENTICATED',
  );
}
