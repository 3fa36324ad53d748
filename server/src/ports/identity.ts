import type { Scope } from '@agent-console/shared/models/token';
import type { Caller } from '../domain/caller.ts';

/** The two ends of a connection. */
export interface PeerConnection {
  remoteAddress: string;
  remotePort: number;
  localAddress: string;
  localPort: number;
  /** The connection, so that what was found can be remembered with it. */
  connection: object;
}

/** What a surface knows of the other end of a request or socket. */
export interface PeerEvidence extends PeerConnection {
  /** Lower-case header names. */
  headers: Readonly<Record<string, string | undefined>>;
}

/** Finds out who calls. Never throws for strange input: a stranger is `nobody` with a sentence. */
export interface Identity {
  identify(evidence: PeerEvidence): Promise<Caller>;
  /** The caller behind a bearer token alone (a WebSocket's first frame). */
  identifyToken(token: string): Promise<Caller>;
  /** Whether a process of our own Unix user holds the other end; false where that cannot be told. It identifies nobody. */
  isOwnUser(connection: PeerConnection): Promise<boolean>;
}

/** What the identity adapter needs to know of the workers and tokens. */
export interface IdentitySource {
  /** Living processes of workers: whoever descends from one, or shares its terminal session, is that worker. */
  liveWorkers(): Promise<{ workerId: string; sessionId: string; pid: number; startTime: string }[]>;
  /** Looks a token up by its SHA-256 (hex) and notes that a person's was used; `refused` says why a known one is no longer good. */
  findToken(
    sha256: string,
  ): Promise<
    | { kind: 'user'; userId: string; scopes: readonly Scope[]; tokenId: string; expiresAt?: string }
    | { kind: 'worker'; workerId: string; sessionId: string }
    | { kind: 'refused'; why: string }
    | undefined
  >;
  localOwnerId(): string;
}
