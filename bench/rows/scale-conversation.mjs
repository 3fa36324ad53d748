import { openBrowser, painted, scroll, typeAndDelete } from '../support/browser.mjs';
import { fillConversation } from '../support/fill-dashboard.mjs';
import { firstSession, whileStopped } from '../support/first-session.mjs';
import { startConsole } from '../support/product.mjs';
import { measureView } from '../support/views.mjs';

const [FEW, MANY] = [10, 100_000];
const LIST = '[aria-label="Conversation"]';
const FIELD = 'Search in the conversation';

/** Loads all messages that are older than the shown ones, so that they are searched too. */
async function loadAll(page) {
  await page.getByLabel(FIELD).fill('invoice');
  const more = page.getByRole('button', { name: /^Search .* earlier$/ });
  await painted(page);
  if ((await more.count()) > 0) {
    await more.click();
    await more.waitFor({ state: 'detached' });
  }
  await page.getByLabel(FIELD).fill('');
}

async function search(page) {
  await page.getByLabel(FIELD).focus();
  await page.keyboard.type('invoice');
  for (let match = 0; match < 10; match += 1) {
    await page.keyboard.press(match < 5 ? 'Enter' : 'Shift+Enter');
    await painted(page);
  }
  await page.getByLabel(FIELD).fill('');
  await page.getByLabel(FIELD).focus();
  await typeAndDelete(page, 'the parser');
}

/** Row 20 of the results: how fast the dashboard shows a conversation of 100 000 messages. */
export async function measureConversation({ product, quick }) {
  const opened = await openBrowser(20);
  if (opened === undefined) return [];
  const console = await startConsole(product);
  const large = await firstSession(console);
  const small = await console.session('A short conversation');
  await whileStopped(console, (home) => {
    fillConversation(home, { sessionId: large.id, count: MANY });
    fillConversation(home, { sessionId: small.id, count: FEW, first: MANY });
  });
  const view = (id) => ({ console, path: `/sessions/${id}?view=conversation` });
  const rows = await measureView({
    browser: opened.browser,
    name: `conversation of ${MANY} messages`,
    large: view(large.id),
    small: view(small.id),
    against: `${FEW} messages`,
    row: `${LIST} [data-index]`,
    rounds: quick ? 1 : 2,
    actions: {
      'scrolling through the newest': (page) => scroll(page, LIST, 30),
      'loading all messages to search them': loadAll,
      'searching all': search,
      'scrolling among all': (page) => scroll(page, LIST, 30),
    },
  });
  await opened.close();
  await console.close();
  return rows;
}
