import type { Scope } from '@agent-console/shared/models/token';

/** Who a request comes from, found once per request by the identity adapter and never asked of the request again. */
export type Caller =
  | { kind: 'worker'; workerId: string; sessionId: string; via: 'token' | 'peer' }
  /** `tokenId` is the token behind it, and `expiresAt` when that ends, an ISO moment, where it does. */
  | {
      kind: 'user';
      userId: string;
      scopes: readonly Scope[];
      via: 'token' | 'peer';
      tokenId?: string;
      expiresAt?: string;
    }
  /** Nobody we know; `reason` is a sentence that says what to do. */
  | { kind: 'nobody'; reason: string };

/** The console itself, for work no caller asked for. */
export const SYSTEM_ACTOR = 'system';

/** How a caller is named in events and audit rows. */
export function actorOf(caller: Caller): string {
  if (caller.kind === 'worker') return `session:${caller.sessionId}`;
  if (caller.kind === 'user') return `user:${caller.userId}`;
  return 'nobody';
}
