import './style.css';
import { currentToken, onSignedOut } from './api.ts';
import { offlineBanner } from './banner.ts';
import { h } from './dom.ts';
import { listenToKeys } from './keys.ts';
import { followConsole } from './live.ts';
import { loginPage, redeemCode } from './login.ts';
import { sessionList } from './sessions/list.ts';
import { standingOf } from './sessions/state.ts';
import { SessionStore } from './sessions/store.ts';
import { keepStylesWithinPolicy } from './strict-style.ts';
import { workArea } from './work/area.ts';

keepStylesWithinPolicy();
const problem = await redeemCode();
if (currentToken() === null) document.body.append(loginPage(problem));
else showConsole();

// A link that is opened in this tab again only changes the part behind the #.
window.addEventListener('hashchange', () => {
  if (location.hash.includes('code=')) location.reload();
});

function showConsole(): void {
  const store = new SessionStore();
  const list = sessionList(store, open);
  const work = workArea(store, { toList: () => list.focus(), back: () => open(undefined) });
  const banner = offlineBanner(() => line.retryNow());
  const frame = h('div', { class: 'frame' }, list.element, work.element);

  function open(id: string | undefined): void {
    frame.dataset.page = id === undefined ? 'list' : 'work';
    history.replaceState(null, '', id === undefined ? location.pathname : `#session=${id}`);
    list.select(id);
    work.open(id);
  }

  onSignedOut(() => location.reload());
  const line = followConsole(store, (state) => banner.show(state));
  store.onChange(() => {
    const needs = store.rows().filter(({ session }) => standingOf(session).kind === 'needs').length;
    document.title = needs === 0 ? 'Agent Console' : `(${needs}) Agent Console`;
  });
  listenToKeys({ move: (by) => list.move(by), type: () => work.type() });
  document.body.append(banner.element, frame);
  open(new URLSearchParams(location.hash.slice(1)).get('session') ?? undefined);
}
