import { ConsoleError } from '@agent-console/shared/errors';
import { call } from './call.ts';
import { signIn } from './token.ts';

/**
 * Exchanges the one-time code of the login link for a token. Returns an error message; undefined on success, or if the
 * address contains no code.
 */
export async function redeemCode(): Promise<string | undefined> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  try {
    const { token } = await call('login.redeem', { code });
    signIn(token);
    return undefined;
  } catch (error) {
    if (error instanceof ConsoleError && error.code === 'PERMISSION_DENIED') return error.message;
    if (error instanceof ConsoleError && error.code !== 'BUSY')
      return 'This link has expired or was already used. Run `npx agent-console open` to get a new one.';
    return 'Could not reach the console. Is `npx agent-console serve` running?';
  }
}
