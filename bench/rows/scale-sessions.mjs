import { openBrowser, painted, scroll, typeAndDelete } from '../support/browser.mjs';
import { fillSessions } from '../support/fill-dashboard.mjs';
import { firstSession, whileStopped } from '../support/first-session.mjs';
import { startConsole } from '../support/product.mjs';
import { measureView } from '../support/views.mjs';

const [FEW, MANY] = [10, 1_000];
const INBOX = 5_000;

async function consolesWith(product, many) {
  const consoles = [];
  for (const count of [FEW, many]) {
    const console = await startConsole(product);
    await firstSession(console);
    // `firstSession` has already created one of the `count` sessions.
    await whileStopped(console, (home) => fillSessions(home, { count: count - 1 }));
    consoles.push(console);
  }
  return consoles;
}

async function typeInto(page, label, text) {
  await page.getByLabel(label).first().focus();
  await typeAndDelete(page, text);
}

/** Row 21 of the results: how fast the dashboard shows the tree and the state board of 1 000 sessions. */
export async function measureSessions({ product, quick }) {
  const opened = await openBrowser(21);
  if (opened === undefined) return [];
  const [small, large] = await consolesWith(product, MANY);
  const shared = { browser: opened.browser, against: `${FEW} sessions`, rounds: quick ? 1 : 3 };
  const at = (path) => ({ large: { console: large, path }, small: { console: small, path } });
  const tree = await measureView({
    ...shared,
    ...at('/sessions'),
    name: `tree of ${MANY} sessions`,
    row: '[data-testid=tree] [role=treeitem]',
    actions: {
      scrolling: (page) => scroll(page, '[data-testid=tree]', 30),
      'typing a filter': (page) => typeInto(page, /^Filter sessions/, 'parser failed'),
    },
  });
  const board = await measureView({
    ...shared,
    ...at('/boards'),
    name: `state board of ${MANY} sessions`,
    row: '[data-card]',
    actions: {
      scrolling: (page) => scroll(page, '[data-column=done] > div', 30),
      'typing a filter': (page) => typeInto(page, 'Filter cards', 'parser failed'),
    },
  });
  await opened.close();
  await small.close();
  await large.close();
  return [...tree, ...board];
}

/** Row 24 of the results: how fast the dashboard shows an inbox of 5 000 outcomes. */
export async function measureInbox({ product, quick }) {
  const opened = await openBrowser(24);
  if (opened === undefined) return [];
  const [small, large] = await consolesWith(product, INBOX);
  const path = '/inbox';
  const rows = await measureView({
    browser: opened.browser,
    name: `inbox of ${INBOX} sessions`,
    large: { console: large, path },
    small: { console: small, path },
    against: `${FEW} sessions`,
    row: '[data-testid=inbox] [data-key]',
    rounds: quick ? 1 : 2,
    actions: {
      scrolling: (page) => scroll(page, '[data-testid=inbox]', 30),
      'typing a filter': (page) => typeInto(page, /^Filter/, 'parser failed'),
      'stepping with j and k': async (page) => {
        await page.locator('[data-testid=inbox]').click({ position: { x: 4, y: 4 } });
        for (const key of 'jjjjjkkk') {
          await page.keyboard.press(key);
          await painted(page);
        }
      },
    },
  });
  await opened.close();
  await small.close();
  await large.close();
  return rows;
}
