import { ConsoleError } from '@agent-console/shared/errors';
import type { Caller } from './caller.ts';

/** What a surface says about a call besides its input. */
export interface Call {
  caller: Caller;
  surface: 'rest' | 'mcp' | 'websocket';
  /** Aborts when the caller went away: waiting ends, work goes on. */
  signal: AbortSignal;
  /** From the `Idempotency-Key` header; the input's own `idempotencyKey` is found by the gate. */
  idempotencyKey?: string;
  /** Resolves when it is known whether the answer left for the caller; says nothing where the surface cannot tell. */
  delivered?: Promise<boolean>;
  /** Set by the gate: under what a repeat of this call is recognised. */
  idempotency?: { caller: string; operation: string; key: string; bodySha256: string };
}

/** The session a call is about: the one it names, else the caller's own; UNAUTHENTICATED where a person names none. */
export function sessionOrOwn(sessionId: string | undefined, call: Call): string {
  if (sessionId !== undefined) return sessionId;
  if (call.caller.kind === 'worker') return call.caller.sessionId;
  throw new ConsoleError(
    'UNAUTHENTICATED',
    'This call comes from no session. Name one as sessionId where the tool takes it, or call as an agent in a session, with the token that the console gave it.',
    { field: 'sessionId' },
  );
}
