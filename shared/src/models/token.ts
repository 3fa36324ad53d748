import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** `read` looks, `write` changes, `owner` also does what only the local owner may. */
export const Scope = v.picklist(['read', 'write', 'owner']);
export type Scope = v.InferOutput<typeof Scope>;

export const Token = v.object({
  id: v.string(),
  name: v.string(),
  kind: v.picklist(['user', 'worker']),
  userId: v.nullable(v.string()),
  workerId: v.nullable(v.string()),
  scopes: v.array(Scope),
  createdAt: Timestamp,
  expiresAt: v.nullable(Timestamp),
  /** Whether a log-in of the dashboard made it: then it expires LOGIN_UNUSED_MS after it was last used. */
  login: v.boolean(),
  /** Exact to a minute; null where it was never used. */
  lastUsedAt: v.nullable(Timestamp),
  /** Whether the call was made with it. */
  current: v.boolean(),
});
export type Token = v.InferOutput<typeof Token>;
