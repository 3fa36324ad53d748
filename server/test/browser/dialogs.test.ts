import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { POLL } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

// Chromium logs every error response, including the conflicts that the tests expect, and errors of git in a repository that
// a test has deleted.
browserSuite('a dialog', { allowed: /409|424/ }, ({ c, open }) => {
  beforeAll(async () => {
    await c.addRepository('blog');
  });

  /** Creates a worktree without a session in it. */
  async function worktree(branch: string) {
    const fields = { repositoryId: c.repository.id, mode: 'custom', branch, autoStartSession: false } as const;
    const { jobId } = await c.client.call('worktrees.create', fields);
    await c.until('the worktree', async () => (await c.client.call('jobs.get', { jobId })).state === 'succeeded');
    const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
    const made = data.find((each) => each.branch === branch);
    if (made === undefined) throw new Error('the worktree is not listed');
    return made;
  }

  async function askToRemove(page: Page, name: string) {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    return page.getByRole('dialog');
  }

  it('reports missing fields in place when submitted', async () => {
    const { page, screenshot } = await open();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Prompt').waitFor();
    await page.keyboard.press('Control+Enter');
    await dialog.getByText('Enter a prompt.').waitFor();
    await expect.poll(() => focused(page), POLL).toBe('Prompt');
    await dialog.getByLabel('Prompt').fill('Do it.');
    await page.keyboard.press('Control+Enter');
    await dialog.getByText('Choose a repository.').waitFor();
    await expect.poll(() => focused(page), POLL).toBe('Repository');
    await screenshot('dialog-missing');
    await page.keyboard.type('blog');
    await page.keyboard.press('Enter');
    await dialog.getByText('Choose a repository.').waitFor({ state: 'detached' });
    expect(await dialog.getByText('Enter a prompt.').count()).toBe(0);
  });

  it('that starts a session or delegates work offers the MCP servers', async () => {
    const fields = { name: 'tracker', transport: 'http', url: 'http://127.0.0.1:9/mcp' } as const;
    const { id: mcpServerId } = await c.client.call('mcpServers.create', fields);
    const { page } = await open();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('start ses');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New session' });
    await dialog.getByText('In a directory').click();
    await dialog.getByLabel('Directory', { exact: true }).fill(c.home);
    await dialog.getByText('More options').click();
    await dialog.getByRole('group', { name: 'MCP servers' }).getByLabel('tracker').check();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/sessions\/.+/);
    const sessionId = new URL(page.url()).pathname.split('/')[2] ?? '';
    const session = await c.client.call('sessions.get', { sessionId });
    expect(session.mcpServers).toMatchObject([{ id: mcpServerId, name: 'tracker' }]);
    await page.keyboard.press('c');
    const delegate = page.getByRole('dialog', { name: 'Delegate work' });
    await delegate.getByText('More options').click();
    await delegate.getByRole('group', { name: 'MCP servers' }).getByLabel('tracker').check();
    await delegate.getByLabel('Prompt').fill('@say delegated');
    await delegate.getByLabel('Repository').click();
    await page.getByRole('option', { name: /^shop/ }).click();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL((url) => !url.pathname.includes(sessionId));
    const delegated = new URL(page.url()).pathname.split('/')[2] ?? '';
    const { mcpServers } = await c.client.call('sessions.get', { sessionId: delegated });
    expect(mcpServers).toMatchObject([{ id: mcpServerId }]);
    await c.client.call('sessions.stop', { sessionId: delegated });
    await c.client.call('sessions.archive', { sessionId: delegated });
    await c.client.call('sessions.archive', { sessionId });
    await c.client.call('mcpServers.remove', { mcpServerId });
  });

  it('lists every shortcut', async () => {
    const { page, screenshot } = await open({ path: '/sessions' });
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Show or hide session list', { exact: true }).waitFor();
    await screenshot('dialog-keys');
    expect(await dialog.locator('kbd').allTextContents()).toContain('[');
    expect(await dialog.locator('kbd').allTextContents()).not.toContain('');
  });

  it('keeps keys that an earlier build stored by the label of their shortcut', async () => {
    const { page } = await open({ path: '/sessions' });
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    const stored = { 'Show keyboard shortcuts': 'y', 'Next that needs you': 'z' };
    await page.evaluate((keys) => localStorage.setItem('agent-console.keys', keys), JSON.stringify(stored));
    await page.reload();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await page.keyboard.press('y');
    const row = page.getByRole('dialog').getByRole('listitem');
    const next = row.filter({ hasText: /^Go to the next inbox item(?!,)/ });
    await next.locator('kbd', { hasText: 'z' }).waitFor();
    await next.getByRole('button', { name: /^Restore default keys/ }).click();
    await next.locator('kbd', { hasText: 'n' }).waitFor();
    const now = await page.evaluate(() => localStorage.getItem('agent-console.keys'));
    expect(JSON.parse(now ?? '')).toEqual({ 'show-keyboard-shortcuts': 'y' });
  });

  it('that renames a worktree has its name, and says what stays', async () => {
    const { id, name } = await worktree('renamed');
    const { page, screenshot } = await open({ path: `/repositories/${c.repository.id}` });
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename worktree' });
    expect(await dialog.getByLabel('Name').inputValue()).toBe(name);
    await dialog.getByText("The worktree's folder and branch keep their names.").waitFor();
    await screenshot('dialog-rename-worktree');
    await dialog.getByLabel('Name').fill('Better name');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Actions for Better name' }).waitFor();
    expect((await c.client.call('worktrees.get', { worktreeId: id })).name).toBe('Better name');
  });

  it('that removes a worktree names exactly what is saved', async () => {
    const held = await worktree('held');
    writeFileSync(join(held.path, '.gitignore'), '.env\nbuilt/\n');
    c.git(['add', '.gitignore'], held.path);
    c.git(['commit', '--quiet', '-m', 'Ignore'], held.path);
    writeFileSync(join(held.path, 'note.txt'), 'kept\n');
    writeFileSync(join(held.path, '.env'), 'SECRET=1\n');
    for (const folder of ['sub', 'built']) mkdirSync(join(held.path, folder));
    c.git(['init', '--quiet'], join(held.path, 'sub'));
    writeFileSync(join(held.path, 'sub', 'inner.txt'), 'kept\n');
    for (let n = 0; n < 200; n += 1) writeFileSync(join(held.path, 'built', `${n}.o`), 'made again\n');
    const { page, screenshot } = await open({ path: `/repositories/${c.repository.id}` });
    const dialog = await askToRemove(page, held.name);
    await dialog.getByText('The branch is kept').waitFor();
    await screenshot('dialog-remove-asks');
    await dialog.getByRole('button', { name: 'Remove worktree', exact: true }).click();
    await dialog.getByText('This worktree contains work that exists nowhere else').waitFor();
    await dialog.getByRole('button', { name: 'Commit…' }).waitFor();
    expect(await dialog.getByText('force').count()).toBe(0);
    const untracked = dialog.getByRole('region', { name: 'Untracked files' });
    for (const name of ['note.txt', 'sub/']) await untracked.getByText(name).waitFor();
    await dialog.getByRole('region', { name: 'Ignored files' }).getByText('.env (9 B)').waitFor();
    await dialog.getByRole('region', { name: 'Ignored folders' }).getByText('built/').waitFor();
    await screenshot('dialog-remove-shows');
    await dialog.getByRole('button', { name: 'Remove anyway' }).click();
    await dialog.getByText('The contents of the worktree are saved for 30 days').waitFor();
    await dialog.getByRole('status').filter({ hasText: 'Not saved:' }).waitFor();
    await dialog.getByRole('region', { name: 'Ignored folders' }).getByText('built/').waitFor();
    expect(await dialog.getByText('.env').count()).toBe(0);
    await screenshot('dialog-remove-done');
    expect(c.git(['branch', '--list', 'held'])).toContain('held');
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText(new RegExp(`^Worktree \\W?${held.name}\\W? restored$`)).waitFor();
    for (const name of ['note.txt', '.env', 'sub/inner.txt'])
      expect(existsSync(join(held.path, name)), name).toBe(true);
    expect(existsSync(join(held.path, 'built'))).toBe(false);
  });

  it('that removes a worktree whose repository git can no longer read keeps its files, and says so', async () => {
    const { id: repositoryId, path } = await c.addRepository('unreadable');
    const { worktree: made } = await c.client.call('worktrees.create', {
      repositoryId,
      mode: 'custom',
      branch: 'kept',
      wait: true,
    });
    if (made === undefined) throw new Error('the worktree was not waited for');
    writeFileSync(join(made.path, 'mine.txt'), 'mine\n');
    const { page, screenshot } = await open({ path: `/repositories/${repositoryId}` });
    const dialog = await askToRemove(page, made.name);
    await dialog.getByText(made.path, { exact: true }).waitFor();
    rmSync(path, { recursive: true });
    await dialog.getByRole('button', { name: 'Remove worktree', exact: true }).click();
    await dialog.getByRole('status').getByText('git can no longer read').waitFor();
    await dialog.getByRole('status').getByText(path, { exact: true }).waitFor();
    await screenshot('dialog-remove-unreadable');
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect(await dialog.getByText('force').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Remove anyway' }).click();
    await dialog.getByText(/its files remain in/).waitFor();
    expect(existsSync(join(made.path, 'mine.txt'))).toBe(true);
  });

  it('takes Ctrl+Enter from the first moment, wherever its focus is', async () => {
    const { repository } = c;
    const made = {
      repositoryId: repository.id,
      title: 'Draft',
      prompt: '@write draft.txt one\n@report succeeded done',
    };
    const { sessionId, worktreeId } = await c.client.call('delegations.create', made);
    await c.until('the end', async () => (await c.client.call('sessions.get', { sessionId })).task?.endedAt != null);
    const { page } = await open({ path: `/sessions/${sessionId}?view=diff` });
    await page.getByText('1 uncommitted file').waitFor();
    await page.keyboard.press('Shift+D');
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Changes of 1 file discarded').waitFor();
    const { path, name } = await c.client.call('worktrees.get', { worktreeId });
    expect(existsSync(join(path, 'draft.txt'))).toBe(false);
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor({ state: 'detached' });

    // In the confirmation, the cancel button has the focus, but Ctrl+Enter still confirms.
    await page.goto(`${c.baseUrl}/repositories/${repository.id}`);
    await c.client.call('sessions.stop', { sessionId });
    await askToRemove(page, name);
    await dialog.getByText('The branch is kept').waitFor();
    await page.keyboard.press('Control+Enter');
    await dialog.getByText(`Worktree ${name} removed`).waitFor();
  });

  it('that was closed before the response announces what was made, and leaves the page and other dialogs alone', async () => {
    const { page, screenshot } = await open({ path: '/repositories' });
    await page.getByText('blog').first().waitFor();
    const gate = await holdDelegations(page);
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('c');
    const prompt = dialog.getByLabel('Prompt');
    await prompt.fill('@say one');
    await dialog.getByLabel('Repository').fill('blog');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await gate.asked;
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await prompt.fill('@say two');
    gate.release();
    const toast = page
      .getByRole('region', { name: 'Notifications' })
      .locator('[aria-atomic]')
      .filter({ hasText: 'Delegated:' });
    await toast.getByText('@say one').waitFor();
    // The toast does not disappear while the pointer is over it.
    await toast.hover({ force: true });
    await screenshot('dialog-late');
    expect(await prompt.inputValue()).toBe('@say two');
    expect(new URL(page.url()).pathname).toBe('/repositories');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await toast.getByText('Open', { exact: true }).click();
    await page.waitForURL(/\/sessions\//);
  });

  it('preselects the repository of the open session, and keeps it while sessions of others change', async () => {
    const { data: repositories } = await c.client.call('repositories.list', {});
    const blogId = repositories.find(({ name }) => name === 'blog')?.id ?? '';
    const sessions = new Map<string, string>();
    for (const repositoryId of [blogId, c.repository.id]) {
      const { data } = await c.client.call('worktrees.list', { repositoryId });
      sessions.set(repositoryId, (await c.client.call('sessions.create', { worktreeId: data[0]?.id ?? '' })).id);
    }
    const shopSession = sessions.get(c.repository.id) ?? '';
    const { page } = await open({ path: `/sessions/${sessions.get(blogId)}` });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const repository = page.getByRole('dialog').getByLabel('Repository');
    await page.keyboard.press('c');
    await expect.poll(() => repository.inputValue(), POLL).toBe('blog');
    await page.keyboard.press('Escape');
    await c.client.call('sessions.update', { sessionId: shopSession, title: 'changed first' });
    await page.goto(`${c.baseUrl}/sessions`);
    await page.getByRole('treeitem').first().waitFor();
    await page.keyboard.press('c');
    await expect.poll(() => repository.inputValue(), POLL).toBe('shop');
    await c.client.call('sessions.update', { sessionId: sessions.get(blogId) ?? '', title: 'changed last' });
    await page.getByRole('treeitem', { name: /^changed last/, includeHidden: true }).waitFor({ state: 'attached' });
    expect(await repository.inputValue()).toBe('shop');
    await c.client.call('sessions.remove', { sessionId: shopSession });
  });

  it('keeps the focus and what is typed when somebody clicks beside it, and the keys of the page do nothing', async () => {
    const { page } = await open({ path: '/repositories' });
    await page.getByText('blog').first().waitFor();
    await page.getByRole('button', { name: 'Add repository' }).first().click();
    const path = page.getByRole('dialog', { name: 'Add repository' }).getByRole('textbox').first();
    await path.fill('/typed');
    await page.mouse.click(1_400, 850);
    await page.keyboard.type('/on');
    expect(await path.inputValue()).toBe('/typed/on');
    await path.evaluate((element) => element.blur());
    await page.keyboard.type('cgi');
    expect(await path.inputValue()).toBe('/typed/on');
    expect(new URL(page.url()).pathname).toBe('/repositories');
  });

  it('that stays open keeps what is typed for the next delegation', async () => {
    const { page } = await open({ path: '/repositories' });
    await page.getByText('blog').first().waitFor();
    const gate = await holdDelegations(page);
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('c');
    const prompt = dialog.getByLabel('Prompt');
    await prompt.fill('@say three');
    await dialog.getByLabel('Repository').click();
    await page.getByRole('option', { name: /^blog/ }).click();
    await page.keyboard.press('Control+Shift+Enter');
    await gate.asked;
    await prompt.fill('@say four');
    gate.release();
    await dialog.getByText('Delegated:').waitFor();
    expect(await prompt.inputValue()).toBe('@say four');
    await page.keyboard.press('Control+k');
    await page.getByText('Searching would drop what you entered').waitFor();
    await page.keyboard.press('Control+Shift+Enter');
    await expect.poll(() => prompt.inputValue(), POLL).toBe('');
    await page.keyboard.press('Control+k');
    await dialog.getByPlaceholder('Search sessions and commands…').waitFor();
  });
});

function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const { activeElement } = document;
    return activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement
      ? activeElement.labels?.[0]?.textContent
      : undefined;
  });
}

/** Holds back delegations until `release` is called. `asked` resolves when the page has requested the first one. */
async function holdDelegations(page: Page): Promise<{ asked: Promise<void>; release: () => void }> {
  let release = () => {};
  let ask = () => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/delegations', async (route) => {
    ask();
    await released;
    await route.continue();
  });
  return { asked, release };
}
