import { join } from 'node:path';
import { atMost } from '../support/aims.mjs';
import { openBrowser } from '../support/browser.mjs';
import { ROOT } from '../support/packages.mjs';
import { startConsole } from '../support/product.mjs';
import { openOurs } from '../support/terminal.mjs';

const SESSIONS = 20;
const MARK = 'the end of the bench text';

/** Runs in the page before its own code, and records when the session list and the terminal's text first appear. */
function observe(mark) {
  const shown = {};
  const look = () => {
    if (shown.list === undefined && document.querySelector('[role=treeitem]')) shown.list = performance.now();
    const lines = [...document.querySelectorAll('.xterm-rows > div')].map((line) => line.textContent);
    const text = lines.join('\n').replaceAll('\u00a0', ' ');
    if (shown.text === undefined && text.includes(mark)) shown.text = performance.now();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  window.shownAt = shown;
  // Disables WebGL in the terminal, because text drawn by the GPU cannot be read back.
  localStorage.setItem('agent-console.terminal-graphics', 'off');
}

/**
 * Row 14 of the results: time until the text of a terminal is shown, compared with the time until the session list is
 * shown.
 */
export async function measurePage({ product, quick }) {
  const opened = await openBrowser(14);
  if (opened === undefined) return [];
  const console = await startConsole(product);
  const sessions = [];
  for (let n = 0; n < SESSIONS; n += 1) sessions.push(await console.session(`Session ${n}`));
  const [session] = sessions;
  const { viewer } = await openOurs(console, session);
  viewer.type(`cat ${join(ROOT, 'LICENSE')}; echo ${MARK}\r`);
  await viewer.untilText(`${MARK}\r\n`);
  viewer.close();
  const { code } = await console.api.call('POST', '/login-codes', {});

  const page = await opened.browser.newPage();
  await page.addInitScript(observe, MARK);
  const path = `http://127.0.0.1:${console.port}/sessions/${session.id}`;
  await page.goto(`${path}#code=${encodeURIComponent(code)}`);
  // The page shows sessions only after the login is complete.
  await page.getByRole('treeitem').first().waitFor();
  const list = [];
  const text = [];
  const measure = async () => {
    await page.goto('about:blank');
    await page.goto(path);
    await page.waitForFunction(() => window.shownAt.text !== undefined && window.shownAt.list !== undefined);
    return page.evaluate(() => window.shownAt);
  };
  await measure();
  for (let round = 0; round < (quick ? 5 : 15); round += 1) {
    const shown = await measure();
    list.push(shown.list);
    text.push(shown.text);
  }
  await opened.close();
  await console.close();
  return [
    {
      name: 'dashboard opened on a session → text of its terminal',
      unit: 'ms',
      ours: text,
      limit: list,
      against: 'the list of sessions, same load',
      aim: atMost(1.4),
    },
  ];
}
