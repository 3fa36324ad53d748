import type { Scope } from '@agent-console/shared/models/token';

/** People and tokens, as stored. Columns are explained in storage/schema/people.ts. */

export interface UserRow {
  id: string;
  username: string | null;
  email: string | null;
  avatarUrl: string | null;
  createdAt: string;
  removedAt: string | null;
}

export interface TokenRow {
  id: string;
  sha256: string;
  name: string;
  kind: 'user' | 'worker';
  userId: string | null;
  workerId: string | null;
  sessionId: string | null;
  scopes: Scope[];
  createdAt: string;
  expiresAt: string | null;
  login: boolean;
  lastUsedAt: string | null;
  revokedAt: string | null;
}
