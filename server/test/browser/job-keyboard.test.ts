import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { POLL } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

// The page asks for the diff once more while its worktree is removed, and Chromium logs the refusal.
browserSuite('a person with a keyboard only', { allowed: /409/ }, ({ c, open }) => {
  it('delegates, answers, reviews, comments, merges and cleans up', async () => {
    const { page, screenshot } = await open({ path: '/sessions' });
    const { keyboard } = page;
    const dialog = page.getByRole('dialog');
    await page.getByRole('heading', { name: 'Get started' }).waitFor();

    await keyboard.press('c');
    await dialog.getByLabel('Prompt').waitFor();
    await keyboard.insertText(
      '@write greeting.txt hello\n@ask Shall I commit it?\n@commit Greet people\n@report succeeded Greets now.',
    );
    await keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Yes' }).waitFor();
    const [session] = (await c.client.call('sessions.list', {})).data;
    const { id: sessionId = '', worktreeId } = session ?? {};
    expect(await focusIsLost(page)).toBe(false);

    // An answer is only accepted after its question has been shown for a moment.
    const yes = page.getByRole('button', { name: 'Yes' });
    await expect.poll(() => yes.isEnabled(), POLL).toBe(true);
    await keyboard.press('y');
    await page.getByText('Greets now.').first().waitFor();

    await keyboard.press('d');
    await page.locator('.diff').getByText('hello').first().waitFor();
    await keyboard.press(']');
    await keyboard.press('c');
    await page.getByRole('textbox', { name: /greeting\.txt/ }).waitFor();
    await keyboard.insertText('@write greeting.txt good morning\n@commit Greet politely');
    await keyboard.press('Control+Enter');
    await page.getByText('not sent').waitFor();
    await keyboard.press('s');
    const bar = page.getByRole('region', { name: 'Commit, merge and push' });
    await bar.getByText('3 ahead').waitFor();
    await page.locator('.diff').getByText('good morning').first().waitFor();
    expect(await focusIsLost(page)).toBe(false);

    await keyboard.press('Shift+M');
    await dialog.getByText('There are no conflicts').waitFor();
    await tabTo(page, 'Stop and archive its sessions');
    await keyboard.press('Space');
    await tabTo(page, 'Delete the branch');
    await keyboard.press('Space');
    await screenshot('job-keyboard-merge');
    await keyboard.press('Control+Enter');
    await dialog.getByText('worktree removed, branch deleted').waitFor();
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await screenshot('job-keyboard-merged');
    expect(await focusIsLost(page)).toBe(false);

    expect(readFileSync(join(c.repository.path, 'greeting.txt'), 'utf8')).toContain('good morning');
    expect(await c.client.call('sessions.get', { sessionId })).toMatchObject({ archivedAt: expect.any(String) });
    expect(await c.client.call('worktrees.get', { worktreeId: worktreeId ?? '' })).toMatchObject({ state: 'removed' });
    expect(c.git(['branch', '--format=%(refname:short)'], c.repository.path)).toBe('main');
  });

  it('opens the session list over the session in a narrow window, and closes it by choosing or with Escape', async () => {
    for (const title of ['first', 'second']) {
      await c.client.call('delegations.create', { repositoryId: c.repository.id, title, prompt: '@say hi' });
    }
    const sessionId = (await c.client.call('sessions.list', {})).data.find(({ title }) => title === 'second')?.id;
    const { page, screenshot } = await open({ width: 1024, height: 700, path: `/sessions/${sessionId}` });
    const heading = (name: string) => page.getByRole('heading', { name, exact: true, level: 1 });
    const tree = page.getByRole('tree');
    await heading('second').waitFor();
    expect(await tree.isVisible()).toBe(false);
    await page.keyboard.press('[');
    await expect.poll(() => tree.evaluate((element) => element === document.activeElement), POLL).toBe(true);
    await screenshot('narrow-list');
    await page.keyboard.press('Escape');
    await tree.waitFor({ state: 'hidden' });
    expect(await focusIsLost(page)).toBe(false);
    await page.keyboard.press('j');
    await tree.waitFor();
    await page.keyboard.press('Enter');
    await heading('first').waitFor();
    await tree.waitFor({ state: 'hidden' });
    expect(await focusIsLost(page)).toBe(false);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByPlaceholder(/./).waitFor();
    await page.keyboard.type('labels');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Labels' }).getByLabel('Find or add a label').waitFor();
    await page.keyboard.type('words');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'words' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(async () => (await c.client.call('sessions.list', { label: 'words' })).data.map(({ title }) => title), POLL)
      .toEqual(['first']);
  });
});

/** Presses Tab until the field with a label has the focus. */
async function tabTo(page: Page, label: string): Promise<void> {
  const field = page.getByLabel(label);
  for (let presses = 0; presses < 20; presses += 1) {
    if (await field.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach “${label}”.`);
}

function focusIsLost(page: Page): Promise<boolean> {
  return page.evaluate(() => document.activeElement === document.body);
}
