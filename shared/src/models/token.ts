import * as v from 'valibot';
import { described } from '../describe.ts';
import { nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

/** `read`: read only; `write`: read and change; `owner`: also operations reserved for the local owner. */
export const Scope = v.picklist(['read', 'write', 'owner']);
export type Scope = v.InferOutput<typeof Scope>;

const SCOPES = 'read: read only; write: also change; owner: also what only the local owner may do';
export const Scopes = described(v.array(Scope), SCOPES);

export const Token = v.object({
  id: ownId('Token'),
  name: described(v.string(), 'Name'),
  kind: described(v.picklist(['user', 'worker']), 'Whether it belongs to a user or a worker'),
  userId: nullableIdOf('user', 'User to whom it belongs, or null'),
  workerId: nullableIdOf('worker', 'Worker to which it belongs and with which it ends, or null'),
  scopes: Scopes,
  createdAt: described(Timestamp, 'Creation time'),
  expiresAt: described(v.nullable(Timestamp), 'Expiry time, or null for never'),
  login: described(
    v.boolean(),
    'Whether it was made by a log-in of the dashboard; it then expires 30 days after its last use',
  ),
  lastUsedAt: described(v.nullable(Timestamp), 'Time of the last use, exact to a minute, or null for never'),
  current: described(v.boolean(), 'Whether this call was made with it'),
});
export type Token = v.InferOutput<typeof Token>;
