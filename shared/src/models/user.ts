import * as v from 'valibot';
import { described } from '../describe.ts';
import { ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

export const User = v.object({
  id: ownId('User'),
  username: described(v.nullable(v.string()), 'Display name of the user, or null'),
  email: described(v.nullable(v.string()), 'E-mail address, unique among users, or null'),
  avatarUrl: described(v.nullable(v.string()), 'URL of a picture of the user, or null'),
  localOwner: described(v.boolean(), 'Whether the user is the local owner, who runs the console'),
  createdAt: described(Timestamp, 'Creation time'),
  removedAt: described(v.nullable(Timestamp), 'Time when the user was removed, or null'),
});
export type User = v.InferOutput<typeof User>;
