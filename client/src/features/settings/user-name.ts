import type { User } from '@agent-console/shared/models/user';

export function userName({ username, email, localOwner }: User): string {
  return username ?? email ?? (localOwner ? 'Owner of this machine' : 'No name');
}
