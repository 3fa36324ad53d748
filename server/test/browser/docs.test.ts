import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { findChromium, launch, loginLink, visit } from './support/browser.ts';

const chromium = findChromium();
if (chromium === undefined) console.warn('SKIPPED: the API page in a browser: no chromium on the PATH.');

describe.skipIf(chromium === undefined)('the API page', () => {
  let browser: Browser;
  let c: TestConsole;
  beforeAll(async () => {
    browser = await launch(chromium ?? '');
    c = await startConsole();
  });
  afterAll(async () => {
    await browser.close();
    await c.close();
  });

  const blockOf = (page: Page, method: string, path: string) =>
    page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) });

  /** Scrolls through the page and returns the nouns that it shows, because it renders only what is visible. */
  async function nounsOf(page: Page): Promise<Set<string>> {
    const nouns = new Set<string>();
    for (;;) {
      for (const tag of await page.locator('.opblock-tag').evaluateAll((all) => all.map((each) => each.id))) {
        nouns.add(tag);
      }
      const isAtEnd = await page.evaluate(async () => {
        const before = window.scrollY;
        window.scrollBy(0, window.innerHeight / 2);
        // Rows are rendered in the frame after the scroll.
        for (const _ of [1, 2]) await new Promise((done) => requestAnimationFrame(done));
        return window.scrollY === before;
      });
      if (isAtEnd) return nouns;
    }
  }

  it('shows every noun without requests to other hosts, and explains how to log in', async () => {
    const { page, context, problems } = await visit(browser);
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!/^(?:data:|http:\/\/127\.0\.0\.1:)/.test(request.url())) elsewhere.push(request.url());
    });
    await page.goto(`${c.baseUrl}/api/docs`);
    await page.locator('.opblock').first().waitFor();
    expect((await nounsOf(page)).size).toBeGreaterThan(10);
    expect(await page.locator('#who').textContent()).toContain('agent-console open');
    await page.goto(`${c.baseUrl}/api/docs#/delegations/delegations.create`);
    await page.reload();
    // Its arrows are data: images, which its CSP allows.
    await page.getByRole('button', { name: 'Execute' }).waitFor();
    expect(elsewhere).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('uses the token of the dashboard without showing it, and follows the colour scheme', async () => {
    const { page, context, problems } = await visit(browser);
    const link = await loginLink(c);
    await page.goto(link);
    await page.waitForFunction(() => localStorage.getItem('agent-console.token') !== null);
    const token = await page.evaluate(() => localStorage.getItem('agent-console.token'));
    // A link to an operation opens it. The page renders a long list only where it is visible.
    await page.goto(`${c.baseUrl}/api/docs#/system/system.status`);
    const status = blockOf(page, 'get', '/api/status');
    await status.getByRole('button', { name: 'Execute' }).click();
    const answer = status.locator('.live-responses-table .response').first();
    await answer.waitFor();
    expect(await answer.textContent()).toContain('"repositories"');
    expect(await page.locator('body').textContent()).not.toContain(token);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction(
        (dark) => document.documentElement.classList.contains('dark-mode') === dark,
        colorScheme === 'dark',
      );
    }
    expect(problems).toEqual([]);
    await context.close();
  });
});
