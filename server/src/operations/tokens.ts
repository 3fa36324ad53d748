import { ConsoleError, fieldError, notFound } from '@agent-console/shared/errors';
import { LOGIN_CODE_MS, LOGIN_UNUSED_MS } from '@agent-console/shared/limits/access';
import { authorOf } from '../engine/changes/author.ts';
import { presentToken } from '../engine/present.ts';
import type { TokenRow } from '../ports/rows.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';
import { userRow } from './users.ts';

/** Creates a user's token: the row to store, and the secret, which is shown only once. */
function newUserToken(
  { secrets, newId, now }: OperationContext,
  plan: Pick<TokenRow, 'name' | 'userId' | 'scopes' | 'expiresAt' | 'login'>,
) {
  const secret = secrets.create('acu');
  const kind = 'user' as const;
  return {
    row: { ...plan, id: newId(), sha256: secrets.sha256(secret), kind, createdAt: now().toISOString() },
    secret,
  };
}

function listTokens({ storage }: OperationContext): Implementation<'tokens.list'> {
  return (page, { caller }) =>
    pageOf(storage.read.tokens, { kind: 'user', revokedAt: null }, page, (row) => presentToken(row, caller));
}

function createToken(context: OperationContext): Implementation<'tokens.create'> {
  return async ({ name, userId = context.ownerId, scopes, expiresAt }, call) => {
    if (expiresAt !== undefined && expiresAt <= context.now().toISOString()) {
      throw fieldError('expiresAt', 'must be in the future');
    }
    if (userId !== context.ownerId && scopes.includes('owner')) {
      throw fieldError('scopes', 'only tokens of the local owner can have the "owner" scope');
    }
    const { row, secret } = newUserToken(context, {
      name,
      userId,
      scopes: [...new Set(scopes)],
      expiresAt: expiresAt ?? null,
      login: false,
    });
    return context.storage.write(authorOf(call), async (tx) => {
      await userRow(tx.users, userId);
      const stored = await tx.tokens.insert(row);
      const data = { name, scopes, userId };
      await tx.record({ type: 'token.created', subject: { kind: 'token', id: row.id }, data });
      return { ...presentToken(stored, call.caller), token: secret };
    });
  };
}

function revokeToken({ storage, now }: OperationContext): Implementation<'tokens.revoke'> {
  return ({ tokenId }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const row = await tx.tokens.get(tokenId);
      if (row === undefined) throw notFound('Token', tokenId);
      await tx.tokens.update(tokenId, { revokedAt: now().toISOString() });
      await tx.record({ type: 'token.revoked', subject: { kind: 'token', id: tokenId }, data: { name: row.name } });
      return presentToken(row, call.caller);
    });
}

function revokeLogins({ storage, now }: OperationContext): Implementation<'tokens.revokeLogins'> {
  return (_input, call) =>
    storage.write(authorOf(call), async (tx) => {
      const current = call.caller.kind === 'user' ? call.caller.tokenId : undefined;
      const logins = await tx.tokens.find({ login: true, revokedAt: null });
      const others = logins.filter(({ id }) => id !== current);
      const revokedAt = now().toISOString();
      for (const { id, name } of others) {
        await tx.tokens.update(id, { revokedAt });
        await tx.record({ type: 'token.revoked', subject: { kind: 'token', id }, data: { name } });
      }
      return { revoked: others.length };
    });
}

function openLogin({ storage, secrets, now }: OperationContext): Implementation<'login.open'> {
  return async (_input, call) => {
    const code = secrets.create('acc');
    const expiresAt = new Date(now().getTime() + LOGIN_CODE_MS).toISOString();
    const userId = call.caller.kind === 'user' ? call.caller.userId : '';
    await storage.write(authorOf(call), (tx) => tx.loginCodes.add(secrets.sha256(code), userId, expiresAt));
    return { code, expiresAt };
  };
}

function redeemLogin(context: OperationContext): Implementation<'login.redeem'> {
  return async ({ code }, call) => {
    // Other Unix users can read the code in the arguments of the program that opens the browser, and must not log in
    // with it. The code remains valid for the person who asked for it.
    if (await call.isFromOtherUser?.()) {
      throw new ConsoleError(
        'PERMISSION_DENIED',
        'This login link works only for the Unix user who runs the console. Open it in a browser of that user.',
        {},
      );
    }
    const at = context.now();
    return context.storage.write({ actor: 'login' }, async (tx) => {
      const userId = await tx.loginCodes.redeem(context.secrets.sha256(code), at.toISOString());
      if (userId === undefined) {
        throw new ConsoleError(
          'UNAUTHENTICATED',
          'This login link has been used or is older than a minute. Run `agent-console open` to get a new one.',
          {},
        );
      }
      const { row, secret } = newUserToken(context, {
        name: 'dashboard',
        userId,
        scopes: ['read', 'write', 'owner'],
        expiresAt: new Date(at.getTime() + LOGIN_UNUSED_MS).toISOString(),
        login: true,
      });
      await tx.tokens.insert(row);
      await tx.record({ type: 'token.created', subject: { kind: 'token', id: row.id }, data: { name: row.name } });
      return { token: secret, expiresAt: row.expiresAt };
    });
  };
}

export function tokenOperations(context: OperationContext) {
  return {
    'tokens.list': listTokens(context),
    'tokens.create': createToken(context),
    'tokens.revoke': revokeToken(context),
    'tokens.revokeLogins': revokeLogins(context),
    'login.open': openLogin(context),
    'login.redeem': redeemLogin(context),
  } satisfies Partial<Implementations>;
}
