import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { onEnd } from './cleanup.mjs';

const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const VIEWPORT = { width: 1440, height: 900 };
/** Trace category that contains the tasks of each thread with their CPU time. */
const TASKS = 'toplevel';
const TASK = 'ThreadControllerImpl::RunTask';
const MAIN_THREAD = 'CrRendererMain';

function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
}

/** Starts a headless Chromium. If none is on PATH, prints that the row is skipped and returns undefined. */
export async function openBrowser(row) {
  const executablePath = findBrowser();
  if (executablePath === undefined) {
    process.stderr.write(`\nrow ${row} is SKIPPED: there is no Chromium on PATH\n`);
    return undefined;
  }
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const close = onEnd(() => browser.close());
  return { browser, close };
}

/** Runs in the page before its own code, and records when an element that matches `selector` is first painted. */
function observe(selector) {
  const shown = {};
  const look = () => {
    if (shown.at !== undefined || document.querySelector(selector) === null) return;
    shown.at = 0;
    requestAnimationFrame(() => {
      shown.at = performance.now();
    });
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true });
  window.firstRow = shown;
  // Disables WebGL in terminals, because text drawn by the GPU cannot be read back.
  localStorage.setItem('agent-console.terminal-graphics', 'off');
}

/**
 * Opens a tab of the dashboard, logged in.
 * @param {import('playwright-core').Browser} browser
 * @param {{api: object, port: number}} console
 * @param {string} row selector of the rows of the view
 */
export async function openDashboard(browser, console, row) {
  const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.addInitScript(observe, row);
  const { code } = await console.api.call('POST', '/login-codes', {});
  const origin = `http://127.0.0.1:${console.port}`;
  await page.goto(`${origin}/settings/about#code=${encodeURIComponent(code)}`);
  await page.getByRole('heading', { name: 'About' }).waitFor();
  return {
    page,
    context,
    /** Navigates to a path and returns the milliseconds until its first row is painted. */
    async open(path) {
      await page.goto('about:blank');
      await page.goto(`${origin}${path}`);
      await page.waitForFunction(() => window.firstRow.at > 0);
      return page.evaluate(() => window.firstRow.at);
    },
    close: () => context.close(),
  };
}

/**
 * Returns the CPU time in milliseconds of each task that the page's main thread ran during `action`. Unlike the elapsed
 * time, the CPU time changes little when the machine is busy with other work.
 * @returns {Promise<number[]>}
 */
export async function tasksDuring(browser, action) {
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  const traceConfig = { includedCategories: [TASKS], excludedCategories: ['*'] };
  await session.send('Tracing.start', { traceConfig, transferMode: 'ReportEvents' });
  await action();
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const threadOf = ({ pid, tid }) => `${pid} ${tid}`;
  const threads = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === MAIN_THREAD).map(threadOf),
  );
  return events
    .filter((event) => event.name === TASK && event.tdur !== undefined && threads.has(threadOf(event)))
    .map(({ tdur }) => tdur / 1_000);
}

/** Resolves after the page has painted a frame. */
export const painted = (page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));

/** Turns the wheel down and up over an element, then sets its scroll position to several values. */
export async function scroll(page, selector, steps) {
  const box = await page.locator(selector).first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let step = 0; step < steps; step += 1) {
    await page.mouse.wheel(0, step < steps * 0.7 ? 700 : -500);
    await painted(page);
  }
  for (const share of [0.5, 1, 0.25, 0.75, 0.1, 0]) {
    await page
      .locator(selector)
      .first()
      .evaluate((element, at) => {
        element.scrollTop = element.scrollHeight * at;
      }, share);
    await painted(page);
  }
}

/** Types a text key by key, waits for a frame after each, and deletes it again. */
export async function typeAndDelete(page, text) {
  for (const key of [...text, ...Array.from(text, () => 'Backspace')]) {
    await page.keyboard.press(key === ' ' ? 'Space' : key);
    await painted(page);
  }
}
