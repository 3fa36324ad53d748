import { ConsoleError } from '@agent-console/shared/errors';
import { call } from './call.ts';
import { signIn } from './token.ts';

/**
 * Exchanges the one-time code of the link that brought us here. The code leaves the address, and so the history, at once.
 * @returns why it did not work, or undefined.
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
    if (error instanceof ConsoleError && error.code !== 'BUSY') return 'That link was used before or is too old.';
    return 'The console cannot be reached.';
  }
}
