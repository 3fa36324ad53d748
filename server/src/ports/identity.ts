import type { Scope } from '@agent-console/shared/models/token';
import type { Caller } from '../domain/caller.ts';

/** The two ends of a connection. */
export interface PeerConnection {
  remoteAddress: string;
  remotePort: number;
  localAddress: string;
  localPort: number;
  /** The connection object, which serves as a cache key. */
  connection: object;
}

/** What a surface knows about the peer of a request or socket. */
export interface PeerEvidence extends PeerConnection {
  /** Lower-case header names. */
  headers: Readonly<Record<string, string | undefined>>;
}

/** Identifies callers. Never throws for malformed input: an unknown caller is `nobody` with a reason. */
export interface Identity {
  identify(evidence: PeerEvidence): Promise<Caller>;
  /** Identifies the caller by a bearer token alone (the first frame of a WebSocket). */
  identifyToken(token: string): Promise<Caller>;
  /**
   * Whether a process of the server's own Unix user holds the other end; false if unknown. This does not identify a
   * caller.
   */
  isOwnUser(connection: PeerConnection): Promise<boolean>;
}

/** The workers and tokens that the identity adapter knows. */
export interface IdentitySource {
  /** Returns the live processes of workers. Descendants and members of the Unix session belong to the same worker. */
  liveWorkers(): Promise<{ workerId: string; sessionId: string; pid: number; startTime: string }[]>;
  /** Finds a token by its SHA-256 (hex) and records its use. `refused`: the token is known but invalid. */
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
