import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** A person who works with this console. */
export const User = v.object({
  id: v.string(),
  username: v.nullable(v.string()),
  email: v.nullable(v.string()),
  avatarUrl: v.nullable(v.string()),
  /** True for the one whose machine this is. */
  localOwner: v.boolean(),
  createdAt: Timestamp,
  removedAt: v.nullable(Timestamp),
});
export type User = v.InferOutput<typeof User>;
