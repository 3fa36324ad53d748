import { openBrowser, scroll } from '../support/browser.mjs';
import { pause } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';
import { measureView } from '../support/views.mjs';
import { startWriters } from '../support/writers.mjs';

const [FEW, MANY] = [2, 24];
const STREAM_MS = 3_000;

async function consoleWith(product, count) {
  const console = await startConsole(product);
  await startWriters(console, count);
  return { console, path: '/terminals' };
}

/**
 * Row 22 of the results: how fast the dashboard shows a grid of 24 terminals to which agents write. 12 of the terminals
 * are updated live.
 */
export async function measureTerminals({ product, quick }) {
  const opened = await openBrowser(22);
  if (opened === undefined) return [];
  const [small, large] = [await consoleWith(product, FEW), await consoleWith(product, MANY)];
  const rows = await measureView({
    browser: opened.browser,
    name: `grid of ${MANY} writing terminals`,
    large,
    small,
    against: `${FEW} writing terminals`,
    row: '[data-live=true] .xterm-rows > div span',
    rounds: quick ? 1 : 2,
    settled: (page) =>
      page.waitForFunction(() =>
        [...document.querySelectorAll('[data-live=true]')].every(
          (live) => live.querySelector('.xterm-rows span') !== null,
        ),
      ),
    actions: {
      [`${STREAM_MS / 1_000} s of writing`]: () => pause(STREAM_MS),
      scrolling: (page) => scroll(page, 'main > ul', 30),
    },
  });
  await opened.close();
  await small.console.close();
  await large.console.close();
  return rows;
}
