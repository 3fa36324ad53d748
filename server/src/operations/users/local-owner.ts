import { SYSTEM } from '../../engine/author.ts';
import type { Storage } from '../../ports/storage.ts';

/**
 * The id of the person whose machine this is, made at the first start; `username` is what the machine calls them. Their
 * row is made when it is missing, which it is in data directories from before there were users.
 */
export async function ensureLocalOwner(
  storage: Storage,
  { now, newId, username }: { now: () => Date; newId: () => string; username: string | null },
): Promise<string> {
  const known = await storage.read.meta.get('ownerId');
  if (known !== undefined && (await storage.read.users.get(known)) !== undefined) return known;
  const id = known ?? newId();
  await storage.write(SYSTEM, async (tx) => {
    await tx.meta.set('ownerId', id);
    const createdAt = now().toISOString();
    await tx.users.insert({ id, username, email: null, avatarUrl: null, createdAt, removedAt: null });
  });
  return id;
}
