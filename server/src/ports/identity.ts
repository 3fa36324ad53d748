import type { Scope } from '@agent-console/shared/models/token';
import type { Caller } from '../domain/caller.ts';

export interface PeerConnection {
  remoteAddress: string;
  remotePort: number;
  localAddress: string;
  localPort: number;
  /** The connection object, which serves as a cache key. */
  connection: object;
}

/** Data of a request or socket by which its caller can be identified. */
export interface PeerEvidence extends PeerConnection {
  /** Request headers by lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
}

/** Identifies callers. Never throws for malformed input: an unknown caller is `nobody` with a reason. */
export interface Identity {
  identify(evidence: PeerEvidence): Promise<Caller>;
  /** Identifies the caller only by a bearer token, which a WebSocket sends in its first frame. */
  identifyToken(token: string, connection: PeerConnection): Promise<Caller>;
  /**
   * Whether the process at the other end of the connection belongs to the server's own Unix user; false if unknown.
   * This does not show which agent or person the caller is.
   */
  isOwnUser(connection: PeerConnection): Promise<boolean>;
  /**
   * Whether the process at the other end of the connection belongs to another Unix user of this machine; false if
   * unknown, behind a proxy, and for root, who has access to everything anyway.
   */
  isOtherUser(connection: PeerConnection): Promise<boolean>;
}

/** Reads the workers and tokens by which the identity adapter recognizes callers. */
export interface IdentitySource {
  /**
   * Returns the first process of each live worker. Its descendants and the members of its Unix session belong to the
   * same worker.
   */
  liveWorkers(): Promise<{ workerId: string; sessionId: string; pid: number; startTime: string }[]>;
  /**
   * Finds a token by its SHA-256 (hex), and records the use of a valid token of a user. `refused` means that the token
   * is stored but not valid. Undefined if the token is not stored. `isLogin`: whether the token is that of a dashboard
   * login.
   */
  findToken(
    sha256: string,
  ): Promise<
    | { kind: 'user'; userId: string; scopes: readonly Scope[]; tokenId: string; expiresAt?: string; isLogin: boolean }
    | { kind: 'worker'; workerId: string; sessionId: string }
    | { kind: 'refused'; why: string }
    | undefined
  >;
  localOwnerId(): string;
}
