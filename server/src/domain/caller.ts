import type { Scope } from '@agent-console/shared/models/token';

/** Who made a request, determined once per request (see `identity/identity.ts`). */
export type Caller =
  | { kind: 'worker'; workerId: string; sessionId: string; via: 'token' | 'peer' }
  /** `expiresAt`: time, as ISO 8601, at which the caller's token expires; undefined if it never expires. */
  | {
      kind: 'user';
      userId: string;
      scopes: readonly Scope[];
      via: 'token' | 'peer';
      tokenId?: string;
      expiresAt?: string;
    }
  /** Unauthenticated. `reason` is a sentence that tells the caller what to do. */
  | { kind: 'nobody'; reason: string };

/** Actor that is recorded in events and audit rows for work that the console does by itself. */
export const SYSTEM_ACTOR = 'system';

/** Returns the name under which events and audit rows record a caller. */
export function actorOf(caller: Caller): string {
  if (caller.kind === 'worker') return `session:${caller.sessionId}`;
  if (caller.kind === 'user') return `user:${caller.userId}`;
  return 'nobody';
}
