import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { loginLink } from './support/browser.ts';
import { openSession, POLL, rowOf } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

/** Number of sessions per repository. The window has no room for the sessions of two repositories. */
const SESSIONS = 21;

browserSuite('the tree of sessions', {}, ({ c, open, visit }) => {
  const ids = new Map<string, string>();
  beforeAll(async () => {
    // The repository `blog` sorts before `shop` by name, and after it by id.
    const blog = await c.addRepository('blog');
    for (const [name, repositoryId] of [
      ['shop', c.repository.id],
      ['blog', blog.id],
    ] as const) {
      for (let n = 1; n <= SESSIONS; n += 1) await addSession(repositoryId, `${name} ${n}`);
    }
  });

  async function addSession(repositoryId: string, title: string) {
    const { data } = await c.client.call('worktrees.list', { repositoryId });
    const session = await c.client.call('sessions.create', { worktreeId: data[0]?.id ?? '', title });
    ids.set(title, session.id);
  }

  /**
   * Opens a link to a session. The names of the repositories arrive only after the rows are shown. The tree then sorts
   * its groups by name, which moves the row of the session.
   */
  async function follow(title: string, options: { width?: number; height?: number } = {}): Promise<Page> {
    const { page } = await visit(options);
    let release = () => {};
    const released = new Promise<void>((done) => {
      release = done;
    });
    await page.route(/\/api\/repositories(?:\?|$)/, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(await loginLink(c, `/sessions/${ids.get(title)}`));
    await page.getByRole('treeitem').nth(5).waitFor();
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    release();
    await expect.poll(() => isSorted(page), POLL).toBe(true);
    return page;
  }

  /** Whether the groups are sorted by name: the sessions of `blog` before those of `shop`. */
  function isSorted(page: Page): Promise<boolean> {
    return page
      .getByRole('treeitem', { name: /^(?:blog|shop) \d/ })
      .evaluateAll(
        (rows, last) =>
          rows.length > 0 &&
          rows.every((row) => row.textContent?.includes('blog') === Number(row.getAttribute('aria-posinset')) <= last),
        SESSIONS + 1,
      );
  }

  /** Returns by how many pixels a row extends beyond the visible area, or undefined if the row is not rendered. */
  async function hiddenPixels(page: Page, title: string): Promise<number | undefined> {
    const row = rowOf(page, title);
    if ((await row.count()) === 0) return undefined;
    const [outer, inner] = await Promise.all([page.getByTestId('tree').boundingBox(), row.boundingBox()]);
    if (outer === null || inner === null) return undefined;
    return Math.max(0, outer.y - inner.y) + Math.max(0, inner.y + inner.height - outer.y - outer.height);
  }

  const showsWhole = (page: Page, title: string) => expect.poll(() => hiddenPixels(page, title), POLL).toBe(0);
  const scrollTop = (page: Page) => page.getByTestId('tree').evaluate(({ scrollTop }) => scrollTop);

  it('shows the names of repositories although the console could not be reached at first', async () => {
    const { page } = await visit();
    let isRefused = false;
    await page.route(/\/api\/repositories(?:\?|$)/, async (route) => {
      if (isRefused) return route.continue();
      isRefused = true;
      return route.abort('connectionrefused');
    });
    await page.goto(await loginLink(c, '/sessions'));
    await page.getByRole('button', { name: 'Collapse shop', exact: true }).waitFor();
    expect(isRefused).toBe(true);
  });

  it('scrolls to the linked session in any group, even if group names load late', async () => {
    for (const title of ['blog 1', 'blog 20', 'shop 1', 'shop 9', 'shop 21']) {
      const page = await follow(title, { height: 700 });
      await showsWhole(page, title);
      expect(await rowOf(page, title).getAttribute('aria-selected')).toBe('true');
    }
  });

  it('keeps the open session visible while rows are added and the window resizes', async () => {
    const page = await follow('shop 3', { height: 700 });
    await showsWhole(page, 'shop 3');
    for (let n = 1; n <= 12; n += 1) await addSession(c.repository.id, `later ${n}`);
    await rowOf(page, 'later 12')
      .or(page.getByRole('treeitem', { name: '33' }))
      .first()
      .waitFor({ state: 'attached' });
    await showsWhole(page, 'shop 3');
    await page.setViewportSize({ width: 1440, height: 413 });
    await showsWhole(page, 'shop 3');
  });

  it('keeps the scroll position until another session is opened', async () => {
    const page = await follow('shop 3', { height: 500 });
    await showsWhole(page, 'shop 3');
    await page.getByTestId('tree').hover();
    await page.mouse.wheel(0, -10_000);
    await expect.poll(() => scrollTop(page), POLL).toBe(0);
    await page.mouse.move(900, 250);
    await addSession(c.repository.id, 'while away');
    await expect
      .poll(() => page.getByTestId('tree').evaluate(({ scrollHeight }) => scrollHeight), POLL)
      .toBe(40 * (2 + ids.size));
    await page.setViewportSize({ width: 1440, height: 480 });
    expect(await scrollTop(page)).toBe(0);
    await page.evaluate((path) => history.pushState({}, '', path), `/sessions/${ids.get('while away')}`);
    await showsWhole(page, 'while away');
  });

  it('finds sessions by state, label and repository, groups them, and keeps pinned ones on top', async () => {
    const { page, screenshot } = await open({ path: '/sessions' });
    await page.getByRole('treeitem').nth(5).waitFor();
    const delegate = async (title: string, prompt: string) =>
      (await c.client.call('delegations.create', { repositoryId: c.repository.id, title, prompt })).sessionId;
    const asking = await delegate('Rebuild the search index', '@ask Rebuild?');
    await delegate('Broken build', '@report failed No memory.');
    await delegate('Write notes', '@write notes.txt one two\n@report succeeded Done.');
    await c.client.call('sessions.update', { sessionId: asking, labels: ['backend'] });
    const filter = page.getByRole('searchbox', { name: /Filter sessions/ });
    const names = () =>
      page.getByRole('treeitem').evaluateAll((rows) => rows.map((row) => row.textContent?.split(',')[0] ?? ''));
    const sessionsShown = async () => (await names()).filter((name) => !/^(shop|blog|Pinned)/.test(name));
    for (const [words, title] of [
      ['failed', 'Broken build'],
      ['asks', 'Rebuild the search index'],
      ['label:back', 'Rebuild the search index'],
      ['is:done repo:shop', 'Write notes'],
    ] as const) {
      await filter.fill(words);
      await expect.poll(sessionsShown, POLL).toEqual([title]);
    }
    await filter.fill('');
    await page.getByRole('button', { name: 'Failed 1' }).click();
    await expect.poll(sessionsShown, POLL).toEqual(['Broken build']);
    await page.getByRole('button', { name: 'Failed 1' }).click();
    await page.getByRole('button', { name: 'Group and filter sessions' }).click();
    await page.getByRole('menuitem', { name: 'Group by state' }).click();
    await expect.poll(async () => (await names())[0], POLL).toMatch(/^Needs you/);
    await screenshot('tree-by-state');
    await openSession(page, 'Broken build');
    await page.keyboard.press('b');
    await expect.poll(async () => (await names())[0], POLL).toMatch(/^Pinned/);
    // The tree shows the pin before the server has stored it, so the test waits for the server.
    await c.until('the stored pin', async () => {
      const marks = await c.client.call('inbox.marks', { limit: 500 });
      return marks.data.filter(({ pinnedAt }) => pinnedAt !== null).length === 1;
    });
    await screenshot('tree-pinned');
  });

  it('acts on several selected sessions', async () => {
    const { page, screenshot } = await open({ path: '/sessions', dark: true });
    for (const title of ['bulk 1', 'bulk 2', 'bulk 3']) await addSession(c.repository.id, title);
    await page.getByRole('searchbox', { name: /Filter sessions/ }).fill('bulk');
    await rowOf(page, 'bulk 3').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    const bar = page.getByRole('region', { name: 'Selected sessions' });
    await bar.getByText('1 session selected').waitFor();
    await page
      .getByRole('treeitem', { name: /^bulk/ })
      .last()
      .click({ modifiers: ['Shift'] });
    await bar.getByText('3 sessions selected').waitFor();
    await screenshot('tree-bulk');
    // If a prompt cannot be sent, the page keeps its text, and the selection of the sessions that did not get it.
    await page.route('**/prompt', (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'BUSY', message: 'busy', retryable: true } } }),
    );
    await bar.getByRole('button', { name: 'Prompt…' }).click();
    await page.keyboard.type('@say hello');
    await page.keyboard.press('Enter');
    await page.getByText('3 of 3 sessions could not be prompted').waitFor();
    expect(await bar.getByRole('textbox').inputValue()).toBe('@say hello');
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await bar.getByText('3 sessions selected').waitFor();
    await bar.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('3 sessions archived').waitFor();
    await expect.poll(() => page.getByRole('treeitem', { name: /^bulk/ }).count(), POLL).toBe(0);
  });
});
