import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { colourFindings, seriousFindings } from './support/axe.ts';
import type { VisitOptions } from './support/browser.ts';
import { POLL } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

const SECTIONS = {
  general: 'General',
  agents: 'Agents',
  'mcp-servers': 'MCP servers',
  appearance: 'Appearance',
  keys: 'Keyboard',
  tokens: 'Logins and tokens',
  users: 'Users',
  events: 'Events',
  audit: 'Audit log',
  about: 'About',
};

browserSuite('the pages of a new console', {}, (suite) => {
  const { c } = suite;
  const open = (path: string, options: VisitOptions = {}) => suite.open({ ...options, path });

  it('can be installed as an app', async () => {
    const answer = await fetch(`${c.baseUrl}/manifest.webmanifest`);
    expect(answer.headers.get('content-type')).toContain('application/manifest+json');
    expect(await answer.json()).toMatchObject({ start_url: '/', display: 'standalone' });
  });

  it('start with a checklist of what was found, and an example that needs no account', async () => {
    const { page, screenshot } = await open('/sessions');
    const steps = page.getByRole('main').getByRole('listitem');
    await steps.filter({ hasText: 'Repository found, done' }).getByText(c.repository.path).waitFor();
    await steps.filter({ hasText: 'Install an agent' }).getByText('npm install -g @openai/codex').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await screenshot('first-steps');
    await page.getByRole('button', { name: 'Run an example' }).click();
    await page.getByRole('heading', { name: 'Example: say hello' }).waitFor();
    await c.until('the example', async () => {
      const { data } = await c.client.call('sessions.list', {});
      return data[0]?.task?.status === 'completed';
    });
  });

  it('offer folders for a repository, delegate several tasks in a row, and remember the last choices', async () => {
    const { page, screenshot } = await open('/repositories');
    mkdirSync(join(c.folder, 'code', 'blog'), { recursive: true });
    c.git(['init', '--quiet', join(c.folder, 'code', 'blog')], c.folder);
    c.git(['commit', '--quiet', '--allow-empty', '-m', 'Begin'], join(c.folder, 'code', 'blog'));
    await page.getByRole('button', { name: 'Add repository' }).click();
    const folders = page.getByRole('region', { name: 'Folders' });
    const { home } = await c.client.call('folders.list', {});
    await folders.getByText(home, { exact: true }).waitFor();
    while ((await folders.getByRole('button', { name: 'code' }).count()) === 0) {
      await folders.getByRole('button', { name: 'Open the parent folder' }).click();
      await expect.poll(() => folders.getByRole('listitem').count(), POLL).toBeGreaterThan(0);
    }
    await folders.getByRole('button', { name: 'code' }).click();
    await folders.getByRole('button', { name: /^blog/ }).click();
    expect(await seriousFindings(page)).toEqual([]);
    await screenshot('folders');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'blog', level: 1 }).waitFor();

    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Delegate work' });
    const prompt = dialog.getByLabel('Prompt');
    // The dialog preselects the repository of the page, although a session of another repository was used last.
    await expect.poll(() => dialog.getByLabel('Repository').inputValue(), POLL).toBe('blog');
    for (const text of ['@report succeeded one', '@report succeeded two']) {
      await prompt.fill(text);
      await page.keyboard.press('Control+Shift+Enter');
      await dialog.getByRole('status').getByText(`Delegated: ${text}`).waitFor();
      await expect.poll(() => prompt.inputValue(), POLL).toBe('');
    }
    await expect.poll(() => prompt.evaluate((field) => field === document.activeElement), POLL).toBe(true);
    await page.keyboard.press('Escape');
    await page.goto(`${c.baseUrl}/inbox`);
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    await page.keyboard.press('c');
    await expect.poll(() => dialog.getByLabel('Repository').inputValue(), POLL).toBe('blog');
  });

  it.each([
    ['wide', {}],
    ['phone', { width: 390, height: 844 }],
  ])(
    'have sections with addresses of their own, without findings of axe in light and dark (%s)',
    async (size, options) => {
      await c.client
        .call('mcpServers.create', { name: 'tickets', transport: 'stdio', command: 'npx', env: { KEY: 'x' } })
        .catch(() => undefined);
      const { page, screenshot } = await open('/settings', options);
      const found: Record<string, string[]> = {};
      for (const [section, name] of Object.entries(SECTIONS)) {
        // On a phone, only some sections are examined, because the other sections have the same layout.
        if (size === 'phone' && !['agents', 'events', 'audit'].includes(section)) continue;
        await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true }).click();
        await page.getByRole('heading', { name, level: 1 }).waitFor();
        await expect.poll(() => page.getByLabel('Loading').count(), POLL).toBe(0);
        if (section === 'events') await page.getByRole('region', { name: 'Events' }).waitFor();
        for (const [scheme, findingsOf] of [
          ['light', seriousFindings],
          ['dark', colourFindings],
        ] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          const findings = await findingsOf(page);
          if (findings.length > 0) found[`${scheme} ${section}`] = findings;
          await screenshot(`settings-${section}-${size}-${scheme}`);
        }
      }
      expect(found).toEqual({});
      await page.goto(`${c.baseUrl}/audit`);
      const operation = page
        .getByRole('cell', { name: /delegations\.create/ })
        .first()
        .locator('.font-mono');
      await operation.waitFor();
      const lines = await operation.evaluate((each) => each.getClientRects().length);
      expect(lines).toBe(1);
    },
  );

  it('show worktrees, branches and the objective of a run uncut in a window of 1024 pixels', async () => {
    const { id: repositoryId } = c.repository;
    const branch = 'agents/retry-the-import-of-the-catalogue';
    const title = 'Import the catalogue of the old shop, with all images and translations';
    await c.client.call('delegations.create', { repositoryId, branch, title, prompt: '@report succeeded done' });
    const agents = [{ agentId: 'one', role: 'engineer', task: '@report succeeded done' }];
    const objective = 'Import the product catalogue of the old shop, with images, prices and translations';
    const run = await c.client.call('orchestrations.create', { objective, repositoryId, agents });
    const { page } = await open(`/repositories/${repositoryId}`, { width: 1024, height: 768 });
    /** Whether an ellipsis replaces a part of the text. */
    const isCut = (text: string) =>
      page
        .getByText(text, { exact: true })
        .first()
        .evaluate((each) => each.scrollWidth > each.clientWidth);
    const { data } = await c.client.call('worktrees.list', { repositoryId });
    const name = data.find((each) => each.branch === branch)?.name ?? '';
    await page.getByRole('link', { name: title }).waitFor();
    expect([await isCut(name), await isCut(branch), await isCut(title)]).toEqual([false, false, false]);
    await page.getByRole('link', { name: 'Branches' }).click();
    // If a path is too long, its end stays visible, because the end names the worktree.
    const place = page.getByRole('list', { name: 'Branches' }).getByText(new RegExp(`/${name}$`));
    const end = (of: typeof place) => of.evaluate((each) => each.getBoundingClientRect().right);
    expect(await end(place)).toBeLessThanOrEqual((await end(place.locator('xpath=..'))) + 1);
    await page.goto(`${c.baseUrl}/runs/${run.id}`);
    const heading = page.getByRole('heading', { name: objective });
    await heading.waitFor();
    expect(await heading.evaluate((each) => each.scrollHeight > each.clientHeight + 1)).toBe(false);
  });

  it('name a session of each worktree uncut on a phone, and the others in a menu', async () => {
    const { id: repositoryId } = c.repository;
    const made = await c.client.call('worktrees.create', {
      repositoryId,
      mode: 'custom',
      branch: 'shared',
      wait: true,
    });
    const worktreeId = made.worktree?.id ?? '';
    const titles = ['Measure the bundle', 'Read the handbook', 'Ask a native speaker'];
    for (const title of titles) await c.client.call('sessions.create', { worktreeId, agentId: 'scripted', title });
    const { page } = await open(`/repositories/${repositoryId}`, { width: 390, height: 844 });
    const row = page.getByRole('listitem').filter({ hasText: 'shared' });
    const link = row.getByRole('link');
    const name = (await link.textContent()) ?? '';
    expect(titles.filter((title) => name.includes(title))).toHaveLength(1);
    const isCut = await link.locator('.truncate').evaluate((each) => each.scrollWidth > each.clientWidth);
    expect(isCut).toBe(false);
    await row.getByRole('button', { name: '2 more sessions' }).click();
    await expect.poll(() => page.getByRole('menuitem').count(), POLL).toBe(2);
    const other = (await page.getByRole('menuitem').first().textContent()) ?? '';
    await page.getByRole('menuitem').first().click();
    const opened = titles.find((title) => other.includes(title) && !name.includes(title)) ?? 'none';
    await page.getByRole('heading', { name: opened, exact: true }).waitFor();
  });

  it('show events with clock times, newest first, and a turn as one line', async () => {
    const { page } = await open('/events');
    const list = page.getByRole('region', { name: 'Events' });
    const turn = list.getByRole('button', { name: /Work on the prompt completed.*events/ }).first();
    await turn.waitFor();
    const times = await list.locator('time').allTextContents();
    expect(times).toEqual(times.toSorted().reverse());
    await turn.click();
    await list.getByText('Agent started its work on the prompt').first().waitFor();
  });

  it('follow the chosen theme, and keys that a person chose', async () => {
    const { page, screenshot } = await open('/settings/appearance');
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByText('Dark', { exact: true }).click();
    await expect.poll(background, POLL).not.toBe(light);
    await page.reload();
    await expect.poll(background, POLL).not.toBe(light);

    await page.getByRole('link', { name: 'Keyboard' }).click();
    const keys = (label: string) => page.getByRole('button', { name: new RegExp(`Change keys of ${label}$`) });
    await keys('Delegate work').click();
    await page.keyboard.press('?');
    await page.getByRole('alert').getByText('already used: Show keyboard shortcuts').waitFor();
    // The key `w` already belongs to a shortcut of the diff.
    await keys('Delegate work').click();
    await page.keyboard.press('w');
    await page.getByText('already used: Show or hide whitespace changes (Diff)').waitFor();
    await keys('Delegate work').click();
    await page.keyboard.press('q');
    await page.getByRole('button', { name: /^q Change keys of Delegate work$/ }).waitFor();
    // `q` is the key of "Delegate work" now, which works on all pages, so no shortcut of the diff can have it.
    await keys('Next file').click();
    await page.keyboard.press('q');
    await page.getByText('already used: Delegate work (Anywhere)').waitFor();
    await screenshot('settings-keys');
    await page.locator('h1').click();
    await page.keyboard.press('c');
    await page.keyboard.press('q');
    await page.getByRole('dialog', { name: 'Delegate work' }).waitFor();
  });

  it('show the parts of a repository, and start work from a branch', async () => {
    c.git(['branch', 'release-1'], c.repository.path);
    const { page, screenshot } = await open(`/repositories/${c.repository.id}`);
    const parts = page.getByRole('navigation', { name: 'Repository tabs' });
    await page.getByRole('region', { name: 'Worktrees' }).waitFor();
    for (const name of ['Clean up', 'Settings', 'Branches']) {
      await parts.getByRole('link', { name }).click();
      await page.getByRole('region', { name }).waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    }
    await page.getByRole('button', { name: 'Actions for release-1' }).waitFor();
    await screenshot('repository-branches');
    await page.getByRole('button', { name: 'Actions for release-1' }).click();
    await page.getByRole('menuitem', { name: 'Delegate work from here…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delegate work' });
    await expect.poll(() => dialog.getByLabel('Base branch').inputValue(), POLL).toBe('release-1');
  });

  it('add and remove users and MCP servers', async () => {
    const { page } = await open('/users');
    await page.getByRole('button', { name: 'Add user' }).click();
    await page.getByLabel('Name').fill('Ann');
    await page.keyboard.press('Control+Enter');
    const ann = page.getByRole('list', { name: 'Users' }).getByRole('listitem').filter({ hasText: 'Ann' });
    await ann.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('dialog', { name: /Create token for/ }).waitFor();
    await page.keyboard.press('Escape');
    await ann.getByRole('button', { name: 'Remove…' }).click();
    await ann.getByRole('button', { name: 'Remove user and revoke their tokens' }).click();
    await ann.waitFor({ state: 'detached' });

    await page.goto(`${c.baseUrl}/mcp-servers`);
    await page.getByRole('button', { name: 'Add MCP server' }).click();
    await page.getByLabel('Name').fill('wiki');
    await page.getByLabel('Command').fill('npx\nwiki-server');
    await page.getByLabel('Variables').fill('WIKI_KEY=secret');
    await page.keyboard.press('Control+Enter');
    const wiki = page.getByRole('list', { name: 'MCP servers' }).getByRole('listitem').filter({ hasText: 'wiki' });
    await wiki.getByText('npx wiki-server').waitFor();
    expect(await wiki.textContent()).toContain('Values stored for: WIKI_KEY');
    await wiki.getByRole('button', { name: 'Remove…' }).click();
    await wiki.getByRole('button', { name: 'Remove server' }).click();
    await wiki.waitFor({ state: 'detached' });
  });
});
