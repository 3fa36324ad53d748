import { ConsoleError } from '@agent-console/shared/errors';
import { LOGIN_CODE_MS, LOGIN_UNUSED_MS } from '@agent-console/shared/limits/access';
import { authorOf } from '../../engine/author.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { newUserToken } from '../tokens/tokens.ts';

type Needs = Pick<OperationContext, 'storage' | 'secrets' | 'now' | 'newId'>;

export function openLogin({ storage, secrets, now }: Needs): Implementation<'login.open'> {
  return async (_input, call) => {
    const code = secrets.create('acc');
    const expiresAt = new Date(now().getTime() + LOGIN_CODE_MS).toISOString();
    const userId = call.caller.kind === 'user' ? call.caller.userId : '';
    await storage.write(authorOf(call), (tx) => tx.loginCodes.add(secrets.sha256(code), userId, expiresAt));
    return { code, expiresAt };
  };
}

export function redeemLogin(needs: Needs): Implementation<'login.redeem'> {
  return ({ code }) => {
    const at = needs.now();
    return needs.storage.write({ actor: 'login' }, async (tx) => {
      const userId = await tx.loginCodes.redeem(needs.secrets.sha256(code), at.toISOString());
      if (userId === undefined) {
        throw new ConsoleError(
          'UNAUTHENTICATED',
          'This login link was used before or is older than a minute. Run `agent-console open` for a new one.',
          {},
        );
      }
      const { row, secret } = newUserToken(needs, {
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
