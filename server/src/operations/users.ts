import { ConsoleError, notFound } from '@agent-console/shared/errors';
import type { User } from '@agent-console/shared/models/user';
import type { Call } from '../domain/call.ts';
import { authorOf, SYSTEM } from '../engine/changes/author.ts';
import type { UserRow } from '../ports/rows.ts';
import type { Storage, StoreReader, Transaction } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';

const presentUser =
  (ownerId: string) =>
  (row: UserRow): User => ({ ...row, localOwner: row.id === ownerId });

/** Returns a user who has not been removed. */
export async function userRow(store: StoreReader<UserRow>, id: string): Promise<UserRow> {
  const row = await store.get(id);
  if (row === undefined || row.removedAt !== null) throw notFound('User', id);
  return row;
}

async function refuseTakenEmail(tx: Transaction, email: string | null | undefined, own?: string): Promise<void> {
  if (email == null) return;
  const other = await tx.users.first({ email, removedAt: null });
  if (other === undefined || other.id === own) return;
  throw new ConsoleError(
    'CONFLICT',
    `Another user already has the email address ${email}: ${other.id}. Use another address.`,
    {
      userId: other.id,
    },
  );
}

/**
 * Returns the id of the calling user or of the owner of the calling worker's session; by default, that of the local
 * owner.
 */
async function userIdOf({ storage, ownerId }: OperationContext, { caller }: Call): Promise<string> {
  if (caller.kind === 'user') return caller.userId;
  const session = caller.kind === 'worker' ? await storage.read.sessions.get(caller.sessionId) : undefined;
  return session?.createdByUserId ?? ownerId;
}

function listUsers({ storage, ownerId }: OperationContext): Implementation<'users.list'> {
  return (page) => pageOf(storage.read.users, { removedAt: null }, page, presentUser(ownerId));
}

function currentUser(context: OperationContext): Implementation<'users.current'> {
  return async (_input, call) => {
    const user = await getUser(context)({ userId: await userIdOf(context, call) }, call);
    return { ...user, sessionId: call.caller.kind === 'worker' ? call.caller.sessionId : null };
  };
}

function getUser({ storage, ownerId }: OperationContext): Implementation<'users.get'> {
  return async ({ userId }) => {
    const row = await storage.read.users.get(userId);
    if (row === undefined) throw notFound('User', userId);
    return presentUser(ownerId)(row);
  };
}

function createUser({ storage, ownerId, now, newId }: OperationContext): Implementation<'users.create'> {
  return ({ username = null, email = null, avatarUrl = null }, call) =>
    storage.write(authorOf(call), async (tx) => {
      await refuseTakenEmail(tx, email);
      const row = await tx.users.insert({ id: newId(), username, email, avatarUrl, createdAt: now().toISOString() });
      await tx.record({ type: 'user.created', subject: { kind: 'user', id: row.id }, data: { username } });
      const user = presentUser(ownerId)(row);
      await tx.remember(user);
      return user;
    });
}

function updateUser({ storage, ownerId }: OperationContext): Implementation<'users.update'> {
  return ({ userId, ...fields }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const row = await userRow(tx.users, userId);
      const patch = omitUndefined(fields);
      await refuseTakenEmail(tx, patch.email, userId);
      await tx.users.update(userId, patch);
      const username = patch.username === undefined ? row.username : patch.username;
      await tx.record({ type: 'user.updated', subject: { kind: 'user', id: userId }, data: { username } });
      return presentUser(ownerId)({ ...row, ...patch });
    });
}

function removeUser({ storage, ownerId, now }: OperationContext): Implementation<'users.remove'> {
  return ({ userId }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const row = await userRow(tx.users, userId);
      if (userId === ownerId) {
        throw new ConsoleError('CONFLICT', 'The local owner cannot be removed.', { userId });
      }
      const removedAt = now().toISOString();
      for (const { id, name } of await tx.tokens.find({ userId, revokedAt: null })) {
        await tx.tokens.update(id, { revokedAt: removedAt });
        await tx.record({ type: 'token.revoked', subject: { kind: 'token', id }, data: { name } });
      }
      await tx.users.update(userId, { removedAt });
      const { username } = row;
      await tx.record({ type: 'user.removed', subject: { kind: 'user', id: userId }, data: { username } });
      return presentUser(ownerId)({ ...row, removedAt });
    });
}

/**
 * Returns the id of the local owner, the person to whom this machine belongs. The id is created at the first start.
 * Older versions stored the id without a user, so a missing user is created.
 * @param username login name on this machine.
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
    await tx.users.insert({ id, username, createdAt });
  });
  return id;
}

export function userOperations(context: OperationContext) {
  return {
    'users.list': listUsers(context),
    'users.current': currentUser(context),
    'users.get': getUser(context),
    'users.create': createUser(context),
    'users.update': updateUser(context),
    'users.remove': removeUser(context),
  } satisfies Partial<Implementations>;
}
