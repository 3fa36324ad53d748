import * as v from 'valibot';
import { described } from '../describe.ts';
import { nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

/** `read`: read only; `write`: read and change; `owner`: also operations reserved for the local owner. */
export const Scope = v.picklist(['read', 'write', 'owner']);
export type Scope = v.InferOutput<typeof Scope>;

const SCOPES = 'read: read only; write: read and change; owner: also operations reserved for the local owner';
export const Scopes = described(v.array(Scope), SCOPES);

export const Token = v.object({
  id: ownId('Token'),
  name: described(v.string(), 'Name of the token'),
  kind: described(v.picklist(['user', 'worker']), 'Who owns the token: a user or a worker'),
  userId: nullableIdOf('user', 'Id of the user who owns the token, or null'),
  workerId: nullableIdOf(
    'worker',
    'Id of the worker that owns the token, or null; the token is revoked when the worker ends',
  ),
  scopes: Scopes,
  createdAt: described(Timestamp, 'Creation time'),
  expiresAt: described(v.nullable(Timestamp), 'Time when the token expires, or null for never'),
  login: described(
    v.boolean(),
    'Whether a dashboard log-in created the token; such a token expires 30 days after its last use',
  ),
  lastUsedAt: described(
    v.nullable(Timestamp),
    'Time when the token was last used, to the minute, or null if it was never used',
  ),
  current: described(v.boolean(), 'Whether the token was used for this call'),
});
export type Token = v.InferOutput<typeof Token>;
