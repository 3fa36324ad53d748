import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { browserSuite } from './support/suite.ts';

// The page requests the diff of a worktree that is just being removed. The server refuses, and Chromium logs the
// refusal.
browserSuite('a person with a phone', { allowed: /409/ }, ({ c, open }) => {
  it('delegates, answers, reviews, comments, labels, merges and cleans up', async () => {
    const { page, screenshot } = await open({ width: 390, height: 844 });
    const dialog = page.getByRole('dialog');
    await page.getByRole('link', { name: 'Sessions' }).tap();
    await page.getByRole('button', { name: '+ Delegate' }).tap();
    await dialog
      .getByLabel('Prompt')
      .fill('@write greeting.txt hello\n@ask Shall I commit it?\n@commit Greet people\n@report succeeded Greets now.');
    await dialog.getByRole('button', { name: 'Delegate', exact: true }).tap();
    const yes = page.getByRole('button', { name: 'Yes' });
    await yes.waitFor();
    await screenshot('job-phone-asks');
    await fits(page);
    const [session] = (await c.client.call('sessions.list', {})).data;
    const { id: sessionId = '', worktreeId } = session ?? {};
    await yes.tap();
    await yes.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: /^Diff/ }).tap();
    await page.locator('.diff').getByText('hello').first().waitFor();
    await page.getByRole('button', { name: '1 file', exact: true }).tap();
    const listed = page
      .getByRole('navigation', { name: 'Changed files' })
      .getByRole('button', { name: 'greeting.txt' });
    await isLarge(listed);
    await screenshot('job-phone-files');
    await listed.tap();
    await page.getByRole('button', { name: 'Comment on line 1' }).first().tap();
    await page.getByRole('textbox', { name: /greeting\.txt/ }).fill('@write greeting.txt good morning\n@commit Polite');
    await screenshot('job-phone-comment');
    await fits(page);
    await page.getByRole('button', { name: /^Add comment/ }).tap();
    for (const name of ['Edit', 'Delete']) await isLarge(page.getByRole('button', { name, exact: true }));
    await screenshot('job-phone-commented');
    await page.getByRole('button', { name: 'Send 1 comment' }).tap();
    const bar = page.getByRole('region', { name: 'Commit, merge and push' });
    await bar.getByText('3 ahead').waitFor();
    await screenshot('job-phone-diff');

    await page.getByRole('button', { name: 'Session actions' }).tap();
    await page.getByRole('menuitem', { name: 'Labels…' }).tap();
    await dialog.getByLabel('Find or add a label').fill('Words');
    await dialog.getByRole('button', { name: 'Save' }).tap();
    await dialog.waitFor({ state: 'detached' });
    expect(await c.client.call('sessions.get', { sessionId })).toMatchObject({ labels: ['words'] });

    await bar.getByRole('button', { name: /^Merge…/ }).tap();
    await dialog.getByText('There are no conflicts').waitFor();
    for (const label of ['Stop and archive the sessions of the worktree', 'Delete the branch'])
      await dialog.getByLabel(label).tap();
    await screenshot('job-phone-merge');
    await fits(page);
    await dialog.getByRole('button', { name: /^Merge/ }).tap();
    await dialog.getByText('worktree removed, branch deleted').waitFor();
    await screenshot('job-phone-merged');

    expect(readFileSync(join(c.repository.path, 'greeting.txt'), 'utf8')).toContain('good morning');
    expect(await c.client.call('sessions.get', { sessionId })).toMatchObject({ archivedAt: expect.any(String) });
    expect(await c.client.call('worktrees.get', { worktreeId: worktreeId ?? '' })).toMatchObject({ state: 'removed' });
    expect(c.git(['branch', '--format=%(refname:short)'], c.repository.path)).toBe('main');

    await dialog.getByRole('button', { name: 'Close' }).first().tap();
    await page.getByRole('link', { name: 'All sessions' }).tap();
    await page.getByRole('button', { name: 'Archived' }).tap();
    await isLarge(page.getByRole('button', { name: 'Unarchive' }));
    await screenshot('job-phone-archived');
    await fits(page);
  });
});

/** Expects that the page is not wider than the window. */
async function fits(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
}

/** Expects that a control is visible and large enough for a finger. */
async function isLarge(control: Locator): Promise<void> {
  await control.waitFor();
  expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(40);
}
