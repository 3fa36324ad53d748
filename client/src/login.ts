import { ConsoleError } from '@agent-console/shared/errors';
import { call, signIn } from './api.ts';
import { h } from './dom.ts';

/**
 * Exchanges the one-time code of the link that brought us here. The code leaves the address, and so the history, at once.
 * @returns why it did not work, or undefined.
 */
export async function redeemCode(): Promise<string | undefined> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  try {
    const { token } = await call({ operation: 'login.redeem', method: 'POST', path: '/login', body: { code } });
    signIn(token);
    return undefined;
  } catch (error) {
    if (error instanceof ConsoleError && error.code !== 'BUSY') return 'That link was used before or is too old.';
    return 'The console cannot be reached.';
  }
}

/** What someone sees whom the console does not know. */
export function loginPage(problem: string | undefined): HTMLElement {
  return h(
    'main',
    { class: 'login' },
    h('h1', { text: 'Agent Console' }),
    ...(problem === undefined ? [] : [h('p', { class: 'login-problem', text: problem, role: 'alert' })]),
    h('p', {}, 'Run ', h('code', { text: 'agent-console open' }), ' in a terminal on this machine.'),
    h('p', { class: 'quiet', text: 'It opens this page with a link that works once, for a minute.' }),
  );
}
