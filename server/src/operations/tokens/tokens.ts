import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { authorOf } from '../../engine/author.ts';
import { presentToken } from '../../engine/present.ts';
import type { TokenRow } from '../../ports/rows/people.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { userRow } from '../users/users.ts';

type Needs = Pick<OperationContext, 'storage' | 'secrets' | 'now' | 'newId'>;
type OwnerNeeds = Needs & Pick<OperationContext, 'ownerId'>;

/** A token of a person: the row to store, and the secret that is shown once. */
export function newUserToken(
  needs: Pick<Needs, 'secrets' | 'now' | 'newId'>,
  plan: Pick<TokenRow, 'name' | 'userId' | 'scopes' | 'expiresAt' | 'login'>,
): { row: TokenRow; secret: string } {
  const secret = needs.secrets.create('acu');
  const row: TokenRow = {
    ...plan,
    id: needs.newId(),
    sha256: needs.secrets.sha256(secret),
    kind: 'user',
    workerId: null,
    sessionId: null,
    createdAt: needs.now().toISOString(),
    lastUsedAt: null,
    revokedAt: null,
  };
  return { row, secret };
}

export function listTokens({ storage }: Needs): Implementation<'tokens.list'> {
  return (page, { caller }) =>
    pageOf(storage.read.tokens, { kind: 'user', revokedAt: null }, page, (row) => presentToken(row, caller));
}

export function createToken(needs: OwnerNeeds): Implementation<'tokens.create'> {
  return async ({ name, userId = needs.ownerId, scopes, expiresAt }, call) => {
    if (expiresAt !== undefined && expiresAt <= needs.now().toISOString()) {
      throw new ConsoleError('VALIDATION', 'expiresAt: lies in the past', { field: 'expiresAt' });
    }
    if (userId !== needs.ownerId && scopes.includes('owner')) {
      throw new ConsoleError('VALIDATION', 'scopes: only tokens of the local owner can have the scope "owner"', {
        field: 'scopes',
      });
    }
    const { row, secret } = newUserToken(needs, {
      name,
      userId,
      scopes: [...new Set(scopes)],
      expiresAt: expiresAt ?? null,
      login: false,
    });
    await needs.storage.write(authorOf(call), async (tx) => {
      await userRow(tx.users, userId);
      await tx.tokens.insert(row);
      const data = { name, scopes, userId };
      await tx.record({ type: 'token.created', subject: { kind: 'token', id: row.id }, data });
    });
    return { ...presentToken(row, call.caller), token: secret };
  };
}

export function revokeToken({ storage, now }: Needs): Implementation<'tokens.revoke'> {
  return ({ tokenId }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const row = await tx.tokens.get(tokenId);
      if (row === undefined) throw notFound('Token', tokenId);
      await tx.tokens.update(tokenId, { revokedAt: now().toISOString() });
      await tx.record({ type: 'token.revoked', subject: { kind: 'token', id: tokenId }, data: { name: row.name } });
      return presentToken(row, call.caller);
    });
}

export function revokeLogins({ storage, now }: Needs): Implementation<'tokens.revokeLogins'> {
  return (_input, call) =>
    storage.write(authorOf(call), async (tx) => {
      const own = call.caller.kind === 'user' ? call.caller.tokenId : undefined;
      const logins = await tx.tokens.find({ login: true, revokedAt: null });
      const others = logins.filter(({ id }) => id !== own);
      const revokedAt = now().toISOString();
      for (const { id, name } of others) {
        await tx.tokens.update(id, { revokedAt });
        await tx.record({ type: 'token.revoked', subject: { kind: 'token', id }, data: { name } });
      }
      return { revoked: others.length };
    });
}
