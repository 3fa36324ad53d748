import type { Scope } from '@agent-console/shared/models/token';
import type { Caller } from '../../domain/caller.ts';

/** What a surface knows of the other end of a request or socket. */
export interface PeerEvidence {
  /** Lower-case header names. */
  headers: Readonly<Record<string, string | undefined>>;
  remoteAddress: string;
  remotePort: number;
  localAddress: string;
  localPort: number;
  /** The connection, so that what was found can be remembered with it. */
  connection: object;
}

/** Finds out who calls. Never throws for strange input: a stranger is `nobody` with a sentence. */
export interface Identity {
  identify(evidence: PeerEvidence): Promise<Caller>;
  /** The caller behind a bearer token alone (a WebSocket's first frame). */
  identifyToken(token: string): Promise<Caller>;
}

/** What the identity adapter needs to know of the workers and tokens. */
export interface IdentitySource {
  /** Living processes of workers: whoever descends from one, or shares its terminal session, is that worker. */
  liveWorkers(): Promise<{ workerId: string; sessionId: string; pid: number; startTime: string }[]>;
  /** Looks a token up by its SHA-256 (hex); `refused` says why a known one is no longer good. */
  findToken(
    sha256: string,
  ): Promise<
    | { kind: 'user'; userId: string; scopes: readonly Scope[]; expiresAt?: string }
    | { kind: 'worker'; workerId: string; sessionId: string }
    | { kind: 'refused'; why: string }
    | undefined
  >;
  localOwnerId(): string;
}
