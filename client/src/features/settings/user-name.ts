import type { User } from '@agent-console/shared/models/user';

/** Returns the name of a user for lists. */
export function userName({ username, email, localOwner }: User): string {
  return username ?? email ?? (localOwner ? 'Owner of this machine' : 'No name');
}
