import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { loginLink } from './support/browser.ts';
import { POLL, pressTogether } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

/** Lazily loaded scripts of the dialogs. */
const DIALOG_SCRIPTS =
  /\/assets\/(?:DialogHost|Dialog|Palette|DelegateDialog|ShortcutsDialog|AddRepositoryDialog)-[\w-]+\.js$/;

browserSuite('keys pressed before a dialog is loaded', {}, ({ c, visit }) => {
  beforeAll(async () => {
    await c.client.call('sessions.create', { cwd: c.folder, title: 'first' });
  });

  /** Opens a page whose dialogs do not load before `release` is called. */
  async function openWithoutDialogs(): Promise<{ page: Page; release: () => void }> {
    const { page } = await visit();
    let release = () => {};
    const released = new Promise<void>((done) => {
      release = done;
    });
    await page.route(DIALOG_SCRIPTS, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(await loginLink(c, '/sessions'));
    await page.getByRole('treeitem').nth(1).waitFor();
    return { page, release };
  }

  const dialogsOf = (page: Page) => page.getByRole('dialog');
  const place = (page: Page) => new URL(page.url()).pathname;

  it('go into the field of the palette, and run nothing', async () => {
    const { page, release } = await openWithoutDialogs();
    await page.keyboard.press('Control+k');
    // Many of these keys are shortcuts of the page or begin one: c, ?, g i, g e, n, j.
    await page.keyboard.type('check? gi ge nxj');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    expect(await dialogsOf(page).count()).toBe(0);
    expect(place(page)).toBe('/sessions');
    release();
    const field = dialogsOf(page).getByPlaceholder('Search sessions and commands…');
    await expect.poll(() => field.inputValue(), POLL).toBe('check? gi ge n');
    // The dialog gets these keys after all earlier keys, which the page may still be replaying.
    await page.keyboard.type('ext');
    await expect.poll(() => field.inputValue(), POLL).toBe('check? gi ge next');
    expect(await dialogsOf(page).count()).toBe(1);
    expect(place(page)).toBe('/sessions');
  });

  it('select a result of the palette when Enter was pressed before it was loaded', async () => {
    const { page, release } = await openWithoutDialogs();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('first');
    await page.keyboard.press('Enter');
    release();
    await page.getByRole('heading', { name: 'first', exact: true }).waitFor();
  });

  it('go into the prompt of a delegation, also when opened from the palette', async () => {
    const { page, release } = await openWithoutDialogs();
    await page.keyboard.press('c');
    await page.keyboard.type('count the');
    await page.keyboard.press('Enter');
    for (const key of ['NumLock', 'End', 'Delete']) await page.keyboard.press(key);
    await page.keyboard.type('jokes?');
    expect(place(page)).toBe('/sessions');
    release();
    const prompt = dialogsOf(page).getByLabel('Prompt');
    await expect.poll(() => prompt.inputValue(), POLL).toBe('count the\njokes?');
    expect(await dialogsOf(page).count()).toBe(1);

    // The palette does not replace a dialog in which something was entered.
    await page.keyboard.press('Control+k');
    await page.getByText('Searching would drop what you entered').waitFor();
    expect(await prompt.inputValue()).toBe('count the\njokes?');
    await page.keyboard.press('Escape');
    await dialogsOf(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await dialogsOf(page).getByPlaceholder('Search sessions and commands…').fill('add rep');
    await page.keyboard.press('Enter');
    await page.keyboard.type('/home/ci');
    const path = dialogsOf(page).getByLabel('Path');
    await expect.poll(() => path.inputValue(), POLL).toBe('/home/ci');
  });

  it('are dropped if the dialog has no field, and after Escape, which cancels it', async () => {
    const { page, release } = await openWithoutDialogs();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('check');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.keyboard.type('cgi');
    release();
    await dialogsOf(page).getByText('Delegate work', { exact: true }).waitFor();
    expect(await dialogsOf(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await dialogsOf(page).waitFor({ state: 'detached' });
    expect(place(page)).toBe('/sessions');
    await pressTogether(page, 'g', 'r');
    await page.getByText('shop').first().waitFor();
  });
});
