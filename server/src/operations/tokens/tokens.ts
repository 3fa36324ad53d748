import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { authorOf } from '../author.ts';
import type { Implementation } from '../call.ts';
import type { Kit } from '../kit.ts';
import { pageOf } from '../paging.ts';
import type { TokenRow } from '../ports/rows/people.ts';
import { presentToken } from '../present.ts';
import { userRow } from '../users/users.ts';

type Needs = Pick<Kit, 'storage' | 'secrets' | 'now' | 'newId'>;
type OwnerNeeds = Needs & Pick<Kit, 'ownerId'>;

/** A token of a person: the row to store, and the secret that is shown once. */
export function newUserToken(
  needs: Pick<Needs, 'secrets' | 'now' | 'newId'>,
  plan: Pick<TokenRow, 'name' | 'userId' | 'scopes' | 'expiresAt'>,
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
    revokedAt: null,
  };
  return { row, secret };
}

export function listTokens({ storage }: Needs): Implementation<'tokens.list'> {
  return (page) => pageOf(storage.read.tokens, { kind: 'user', revokedAt: null }, page, presentToken);
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
    });
    await needs.storage.write(authorOf(call), async (tx) => {
      await userRow(tx.users, userId);
      await tx.tokens.insert(row);
      const data = { name, scopes, userId };
      await tx.record({ type: 'token.created', subject: { kind: 'token', id: row.id }, data });
    });
    return { ...presentToken(row), token: secret };
  };
}

export function revokeToken({ storage, now }: Needs): Implementation<'tokens.revoke'> {
  return ({ tokenId }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const row = await tx.tokens.get(tokenId);
      if (row === undefined) throw notFound('Token', tokenId);
      await tx.tokens.update(tokenId, { revokedAt: now().toISOString() });
      await tx.record({ type: 'token.revoked', subject: { kind: 'token', id: tokenId }, data: { name: row.name } });
      return presentToken(row);
    });
}
