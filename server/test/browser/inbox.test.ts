import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { VisitOptions } from './support/browser.ts';
import { expectForgotten, POLL, pressTogether } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

browserSuite('the inbox', {}, (suite) => {
  const { c } = suite;
  beforeAll(async () => {
    for (const [title, prompt] of [
      ['first question', '@ask Rebuild the index?'],
      ['second question', '@ask Delete the old table?\n@report succeeded Deleted.'],
      ['broken build', '@report failed The compiler ran out of memory while it linked the tests.'],
      ['docs', '@report succeeded Described every flag, with one example each.'],
      ['typo', '@report succeeded Fixed the typo in the login page.'],
      ['cache', '@report succeeded Cached the session list; p95 fell from 90 to 12 ms.'],
    ] as const) {
      const { sessionId } = await c.client.call('delegations.create', {
        repositoryId: c.repository.id,
        prompt,
        title,
      });
      await c.until(`the end of ${title}`, async () => {
        const { task } = await c.client.call('sessions.get', { sessionId });
        return task?.endedAt != null || task?.waitingFor === 'answer';
      });
    }
  });

  const open = (options: VisitOptions & { path?: string } = {}) => suite.open({ path: '/inbox', ...options });

  const shown = (page: Page) =>
    page
      .getByTestId('inbox')
      .getByRole('article')
      .evaluateAll((rows) => rows.map((row) => row.ariaLabel));
  const UNREAD = ['broken build failed', 'cache done', 'typo done', 'docs done'];
  const ALL = ['first question asks', 'second question asks', ...UNREAD];

  it('groups items, opens outcomes in place, and marks them read on every device, with undo', async () => {
    const { page, screenshot } = await open();
    await expect.poll(() => shown(page), POLL).toEqual(ALL);
    await page.getByRole('heading', { name: /Needs an answer 2/ }).waitFor();
    await page.getByRole('link', { name: 'Inbox 3 waiting' }).waitFor();
    expect(await page.title()).toBe('(3) Agent Console');
    await screenshot('inbox-groups');
    await page.getByRole('button', { name: /^typo/ }).click();
    await page.getByRole('article', { name: 'typo done' }).getByRole('button', { name: 'Reply' }).waitFor();
    await screenshot('inbox-open');
    const other = await open({ width: 390, height: 844, dark: true });
    await expect.poll(() => shown(other.page), POLL).toEqual(ALL);
    await other.screenshot('inbox-phone');
    await page.keyboard.press('m');
    await expect.poll(() => shown(page), POLL).toEqual(ALL.filter((name) => name !== 'typo done'));
    await expect.poll(() => shown(other.page), POLL).toEqual(ALL.filter((name) => name !== 'typo done'));
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-key'))).toMatch(/ done /);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => shown(page), POLL).toEqual(ALL);
    await page.getByRole('button', { name: 'Mark all finished as read' }).click();
    await expect.poll(() => shown(page), POLL).toEqual(ALL.slice(0, 3));
    await page.keyboard.press('u');
    await expect.poll(() => shown(page), POLL).toEqual(ALL);
    await page.keyboard.press('Shift+M');
    await expect.poll(() => shown(other.page), POLL).toEqual(ALL.slice(0, 2));
    await page.keyboard.press('u');
    await expect.poll(() => shown(other.page), POLL).toEqual(ALL);
  });

  it('is shown on the page of sessions while none is open', async () => {
    const { page } = await open({ path: '/sessions' });
    const section = page.getByRole('region', { name: '3 items need you' });
    await section.waitFor();
    // Even in a window of little height, the page can be scrolled to the heading of the section.
    await page.setViewportSize({ width: 1440, height: 200 });
    const heading = section.getByRole('heading');
    await section.getByRole('link').last().scrollIntoViewIfNeeded();
    await expect.poll(() => top(heading), POLL).toBeLessThan(0);
    await heading.scrollIntoViewIfNeeded();
    await expect.poll(() => top(heading), POLL).toBeGreaterThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await section.getByRole('link', { name: /second question/ }).click();
    await page.getByRole('heading', { name: 'second question' }).waitFor();
  });

  it('filters by words', async () => {
    const { page, screenshot } = await open({ dark: true });
    await expect.poll(() => shown(page), POLL).toEqual(ALL);
    await page.keyboard.press('/');
    await page.keyboard.type('login page');
    await expect.poll(() => shown(page), POLL).toEqual(['typo done']);
    await page.keyboard.press('Escape');
    await expect.poll(() => shown(page), POLL).toEqual(ALL);
    await screenshot('inbox-dark');
  });

  it('keeps filter, expanded item and an unsent reply while another page is visited', async () => {
    const { page, screenshot } = await open();
    await expect.poll(() => shown(page), POLL).toEqual(ALL);
    await page.keyboard.press('/');
    await page.keyboard.type('login page');
    await page.keyboard.press('Enter');
    const row = page.getByRole('article', { name: 'typo done' });
    await page.keyboard.press('a');
    const reply = row.getByRole('textbox', { name: 'Prompt' });
    await reply.fill('Also the sign-up page');
    await page.keyboard.press('Escape');
    await reply.waitFor({ state: 'detached' });
    await page.keyboard.press('a');
    await expect.poll(() => reply.inputValue(), POLL).toBe('Also the sign-up page');
    await page.getByRole('link', { name: 'Repos' }).click();
    await page.getByRole('heading', { name: 'Repositories' }).waitFor();
    await page.goBack();
    await expect.poll(() => reply.inputValue(), POLL).toBe('Also the sign-up page');
    expect(await shown(page)).toEqual(['typo done']);
    await screenshot('inbox-reply');
  });

  it('answers the selected card with the keys that it shows, and steps through its items from any page', async () => {
    const { page } = await open({ path: '/settings' });
    await page.getByRole('heading', { name: 'General', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Inbox 3 waiting' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'first question', exact: true }).waitFor();
    await pressTogether(page, 'g', 'n');
    await page.getByRole('heading', { name: 'second question', exact: true }).waitFor();
    await pressTogether(page, 'g', 'i');
    await expect.poll(() => shown(page), POLL).toEqual(ALL);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const card = page.getByRole('article', { name: 'second question asks' });
    // The page accepts an answer only after it has shown the question for a moment.
    await card.getByRole('button', { name: 'Yes' }).click({ trial: true });
    await page.keyboard.press('y');
    await card.getByText(/answered|no longer asks/).waitFor();
    await page.getByRole('button', { name: '1 new' }).click();
    await expect
      .poll(() => shown(page), POLL)
      .toEqual(['first question asks', 'broken build failed', 'second question done', ...UNREAD.slice(1)]);
  });

  it('forgets an answer that was not sent once the question is gone', async () => {
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, title: 'asks on its screen' });
    const { id: workerId } = await c.client.call('workers.create', { sessionId, type: 'agent' });
    const activity = async () => (await c.client.call('workers.get', { workerId })).activityState;
    await c.until('an idle agent', async () => (await activity()) === 'idle');
    await c.client.call('workers.correctActivity', { workerId, activityState: 'asking' });
    const { page } = await open();
    const answer = page.getByRole('article', { name: 'asks on its screen asks' }).getByLabel('Answer', { exact: true });
    await answer.fill('unsent-secret');
    await page.getByRole('link', { name: 'Repos' }).click();
    await answer.waitFor({ state: 'detached' });
    await page.goBack();
    await expect.poll(() => answer.inputValue(), POLL).toBe('unsent-secret');
    await page.getByRole('link', { name: 'Repos' }).click();
    await answer.waitFor({ state: 'detached' });
    const waiting = page.getByRole('link', { name: /^Inbox \d+ waiting$/ });
    const before = await waiting.textContent();
    await c.client.call('workers.correctActivity', { workerId, activityState: 'idle' });
    await expect.poll(() => waiting.textContent(), POLL).not.toBe(before);
    await expectForgotten(page, 'unsent-secret');
  });
});

function top(element: Locator): Promise<number> {
  return element.evaluate((node) => node.getBoundingClientRect().top);
}
