import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { hasFocus, POLL, pressTogether, untilFocused } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

// The page requests the diff of a worktree that is just being removed. The server refuses, and Chromium logs the
// refusal.
browserSuite('a person with a keyboard only', { allowed: /409/ }, ({ c, open }) => {
  it('adds a repository, delegates three tasks, answers, reviews, comments, checks, merges and cleans up', async () => {
    const garden = join(c.folder, 'garden');
    mkdirSync(garden);
    c.git(['init', '--quiet', '-b', 'main'], garden);
    c.git(['commit', '--quiet', '--allow-empty', '-m', 'First commit'], garden);
    const { page, screenshot } = await open({ path: '/sessions' });
    const { keyboard } = page;
    const dialog = page.getByRole('dialog');
    const heading = (name: string) => page.getByRole('heading', { name, exact: true, level: 1 });
    await page.getByRole('heading', { name: 'Get started' }).waitFor();

    await pressTogether(page, 'g', 'r');
    await heading('Repositories').waitFor();
    await keyboard.press('+');
    await untilFocused(dialog.getByLabel('Path'));
    await keyboard.insertText(garden);
    await keyboard.press('Control+Enter');
    await heading('garden').waitFor();
    const parts = page.getByRole('navigation', { name: 'Repository tabs' });
    await tabTo(page, parts.getByRole('link', { name: 'Settings' }));
    await keyboard.press('Enter');
    await tabTo(page, page.getByLabel('Check command'));
    await keyboard.insertText('test -f greeting.txt');
    await tabTo(page, page.getByRole('button', { name: 'Save' }));
    await keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();

    await keyboard.press('c');
    await untilFocused(dialog.getByLabel('Prompt'));
    await keyboard.insertText('@write farewell.txt bye\n@commit Say farewell\n@report succeeded Says farewell.');
    await tabTo(page, dialog.getByLabel('Repository'));
    await keyboard.type('garden');
    await keyboard.press('Enter');
    await keyboard.press('Control+Shift+Enter');
    await dialog.getByText('Delegated:').filter({ hasText: 'farewell' }).waitFor();
    await untilFocused(dialog.getByLabel('Prompt'));
    await keyboard.insertText('@write thanks.txt thanks\n@commit Say thanks\n@report succeeded Says thanks.');
    await keyboard.press('Control+Shift+Enter');
    await dialog.getByText('Delegated:').filter({ hasText: 'thanks' }).waitFor();
    await keyboard.insertText(
      '@write greeting.txt hello\n@ask Shall I commit it?\n@commit Greet people\n@report succeeded Greets now.',
    );
    await screenshot('job-keyboard-delegate');
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => focusIsLost(page), POLL).toBe(false);
    // The dialog keeps an unsent prompt as a draft, so the prompt is shown again.
    await keyboard.press('c');
    await dialog.getByLabel('Prompt').waitFor();
    await keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Yes' }).waitFor();
    const { data: sessions } = await c.client.call('sessions.list', {});
    expect(sessions).toHaveLength(3);
    const sessionId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const worktreeId = sessions.find(({ id }) => id === sessionId)?.worktreeId ?? '';
    await expect.poll(() => focusIsLost(page), POLL).toBe(false);

    // The page accepts an answer only after it has shown the question for a moment.
    const yes = page.getByRole('button', { name: 'Yes' });
    await expect.poll(() => yes.isEnabled(), POLL).toBe(true);
    await keyboard.press('y');
    await page.getByText('Greets now.').first().waitFor();

    await keyboard.press('d');
    await page.locator('.diff').getByText('hello').first().waitFor();
    await keyboard.press(']');
    await keyboard.press('c');
    await untilFocused(page.getByRole('textbox', { name: /greeting\.txt/ }));
    await keyboard.insertText('@write greeting.txt good morning\n@commit Greet politely');
    await keyboard.press('Control+Enter');
    await page.getByText('not sent').waitFor();
    await keyboard.press('s');
    const bar = page.getByRole('region', { name: 'Commit, merge and push' });
    await bar.getByText('3 ahead').waitFor();
    await page.locator('.diff').getByText('good morning').first().waitFor();
    await expect.poll(() => focusIsLost(page), POLL).toBe(false);
    await keyboard.press('Shift+R');
    await bar.getByText('check passed').waitFor();

    await keyboard.press('Shift+M');
    await dialog.getByText('There are no conflicts').waitFor();
    await tabTo(page, page.getByLabel('Require a passing check'));
    await keyboard.press('Space');
    await tabTo(page, page.getByLabel('Stop and archive the sessions of the worktree'));
    await keyboard.press('Space');
    await tabTo(page, page.getByLabel('Delete the branch'));
    await keyboard.press('Space');
    await screenshot('job-keyboard-merge');
    await keyboard.press('Control+Enter');
    await dialog.getByText('worktree removed, branch deleted').waitFor();
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await screenshot('job-keyboard-merged');
    await expect.poll(() => focusIsLost(page), POLL).toBe(false);
    expect(readFileSync(join(garden, 'greeting.txt'), 'utf8')).toContain('good morning');
    expect(await c.client.call('sessions.get', { sessionId })).toMatchObject({ archivedAt: expect.any(String) });
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ state: 'removed' });

    for (const word of ['farewell', 'thanks']) {
      await keyboard.press('Control+k');
      await dialog.getByPlaceholder(/./).waitFor();
      await keyboard.type(word);
      await dialog.getByRole('option').filter({ hasText: word }).first().waitFor();
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: new RegExp(word), level: 1 }).waitFor();
      await keyboard.press('d');
      await bar.getByText('1 ahead').waitFor();
      await keyboard.press('Shift+M');
      await dialog.getByText('There are no conflicts').waitFor();
      await tabTo(page, page.getByLabel('Stop and archive the sessions of the worktree'));
      await keyboard.press('Space');
      await keyboard.press('Control+Enter');
      await dialog.getByRole('status').getByText('The target branch is now at commit').waitFor();
      await keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }

    await pressTogether(page, 'g', 'r');
    await heading('Repositories').waitFor();
    await tabTo(page, page.getByRole('link', { name: /^garden/ }));
    await keyboard.press('Enter');
    await heading('garden').waitFor();
    await tabTo(page, parts.getByRole('link', { name: 'Clean up' }));
    await keyboard.press('Enter');
    await tabTo(page, page.getByLabel(/^Select all \(2 worktrees/));
    await keyboard.press('Space');
    await tabTo(page, page.getByLabel('Also delete the merged branches of the selected worktrees'));
    await keyboard.press('Space');
    await tabTo(page, page.getByRole('button', { name: /^Remove 2…/ }));
    await keyboard.press('Enter');
    await expect.poll(() => focusIsLost(page), POLL).toBe(false);
    await tabTo(page, page.getByRole('button', { name: 'Remove 2 worktrees', exact: true }));
    await screenshot('job-keyboard-clean-up');
    await keyboard.press('Enter');
    await page.getByText('2 of 2 worktrees removed.').waitFor();
    expect(c.git(['branch', '--format=%(refname:short)'], garden)).toBe('main');
    for (const file of ['farewell.txt', 'thanks.txt']) expect(existsSync(join(garden, file)), file).toBe(true);
  });

  it('delegates three tasks, sees that two conflict, has the conflict resolved by an agent, merges, checks and cleans up', async () => {
    const orchard = join(c.folder, 'orchard');
    c.git(['clone', '--quiet', c.repository.path, orchard], c.folder);
    c.git(['remote', 'remove', 'origin'], orchard);
    const fields = { path: orchard, name: 'orchard' };
    const { id: repositoryId } = (await c.client.call('repositories.create', fields)) as { id: string };
    await c.client.call('repositories.update', { repositoryId, checkCommand: 'grep -q plum fruit.txt' });
    const { page, screenshot } = await open({ path: `/repositories/${repositoryId}` });
    const { keyboard } = page;
    const dialog = page.getByRole('dialog');
    const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 });
    await heading('orchard').waitFor();
    const bar = page.getByRole('region', { name: 'Commit, merge and push' });
    const fruits = () => readFileSync(join(orchard, 'fruit.txt'), 'utf8');

    await keyboard.press('c');
    await dialog.getByLabel('Prompt').waitFor();
    await tabTo(page, dialog.getByLabel('Repository'));
    await keyboard.type('orchard');
    await keyboard.press('Enter');
    for (const [word, file] of [
      ['apple', 'fruit.txt'],
      ['plum', 'fruit.txt'],
      ['leek', 'vegetable.txt'],
    ] as const) {
      await tabTo(page, dialog.getByLabel('Prompt'));
      await keyboard.insertText(`@write ${file} ${word}\\n\n@commit Plant ${word}\n@report succeeded Planted ${word}.`);
      await keyboard.press('Control+Shift+Enter');
      await dialog.getByText('Delegated:').filter({ hasText: word }).waitFor();
    }
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    const choose = async (word: string) => {
      await keyboard.press('Control+k');
      await dialog.getByPlaceholder(/./).waitFor();
      await keyboard.type(word);
      await dialog.getByRole('option').filter({ hasText: word }).first().waitFor();
      await keyboard.press('Enter');
    };
    const openDiff = async (word: string) => {
      await choose(word);
      await heading(new RegExp(word)).waitFor();
      await keyboard.press('d');
      await bar.getByText(/^\d ahead$|^merged$/).waitFor();
    };
    const clean = async () => {
      await tabTo(page, dialog.getByRole('button', { name: 'Clean up' }));
      await keyboard.press('Enter');
      await dialog.getByText('1 session archived, worktree removed, branch deleted').waitFor();
      await keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };

    await openDiff('apple');
    await page
      .locator('header')
      .getByRole('button', { name: /^Conflicts with another/ })
      .waitFor();
    await keyboard.press('Shift+O');
    await dialog.getByText('▲ conflict').waitFor();
    await dialog.getByText('fruit.txt', { exact: true }).waitFor();
    await screenshot('job-keyboard-overlap');
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await keyboard.press('Shift+M');
    await dialog.getByText('There are no conflicts').waitFor();
    await keyboard.press('Control+Enter');
    await dialog.getByText('The target branch is now at commit').waitFor();
    await screenshot('job-keyboard-clean-up-offer');
    await clean();
    expect(fruits()).toBe('apple\n');

    await openDiff('plum');
    await bar.getByText('▲ conflicts with main').waitFor();
    await keyboard.press('Shift+M');
    const files = dialog.getByRole('list', { name: 'Files in conflict' });
    await files.getByText('fruit.txt').waitFor();
    await files.getByText('in main').waitFor();
    await keyboard.press('Control+Enter');
    await dialog.getByText('An agent is resolving the conflicts').waitFor();
    await screenshot('job-keyboard-resolving');
    await keyboard.press('Control+Enter');
    await heading(/^Resolve conflicts of .* with main$/).waitFor();
    expect(fruits()).toBe('apple\n');

    // The scripted agent cannot act on the prompt to resolve the conflict, so a further prompt gives it the commands.
    await page.getByText('git merge main').first().waitFor();
    await keyboard.press('p');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), POLL).toBe('TEXTAREA');
    await keyboard.insertText(
      '@write fruit.txt apple\\n\n@commit Yield\n@merge main\n@write fruit.txt apple\\nplum\\n\n@commit Both\n@report succeeded Resolved.',
    );
    await keyboard.press('Enter');
    await page.getByText('Resolved.', { exact: true }).first().waitFor();
    await keyboard.press('Escape');
    await keyboard.press('d');
    await bar
      .getByText('no conflicts')
      .or(bar.getByText(/^\d ahead$/))
      .first()
      .waitFor();
    await keyboard.press('Shift+R');
    await bar.getByText('check passed').waitFor();
    await keyboard.press('Shift+M');
    await dialog.getByText('There are no conflicts').waitFor();
    expect(await dialog.getByLabel('Target branch').inputValue()).toBe('main');
    await tabTo(page, page.getByLabel('Require a passing check'));
    await keyboard.press('Space');
    await keyboard.press('Control+Enter');
    await dialog.getByText('The target branch is now at commit').waitFor();
    await clean();
    expect(fruits()).toBe('apple\nplum\n');

    await openDiff('leek');
    await keyboard.press('Shift+M');
    await dialog.getByText('There are no conflicts').waitFor();
    await keyboard.press('Control+Enter');
    await dialog.getByText('The target branch is now at commit').waitFor();
    await clean();
    expect(existsSync(join(orchard, 'vegetable.txt'))).toBe(true);

    // The branch of this session had the conflict. Merging the resolution has merged this branch too.
    await openDiff('plum');
    await bar.getByText('merged', { exact: true }).waitFor();
    await choose('Stop session');
    await c.until('the end of the session', async () => {
      const { data } = await c.client.call('sessions.list', { repositoryId });
      return data.every(({ status }) => status === 'stopped');
    });
    await pressTogether(page, 'g', 'r');
    await heading('Repositories').waitFor();
    await tabTo(page, page.getByRole('link', { name: /^orchard/ }));
    await keyboard.press('Enter');
    await heading('orchard').waitFor();
    await tabTo(page, page.getByRole('link', { name: 'Clean up' }));
    await keyboard.press('Enter');
    await tabTo(page, page.getByLabel(/^Select all \(1 worktree/));
    await keyboard.press('Space');
    await tabTo(page, page.getByLabel('Also delete the merged branches of the selected worktrees'));
    await keyboard.press('Space');
    await tabTo(page, page.getByRole('button', { name: /^Remove 1…/ }));
    await keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Remove 1 worktree', exact: true }));
    await keyboard.press('Enter');
    await page.getByText('1 of 1 worktree removed.').waitFor();
    expect(c.git(['branch', '--format=%(refname:short)'], orchard)).toBe('main');
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
    await expect.poll(() => focusIsLost(page), POLL).toBe(false);
    await page.keyboard.press('j');
    await tree.waitFor();
    await page.keyboard.press('Enter');
    await heading('first').waitFor();
    await tree.waitFor({ state: 'hidden' });
    await expect.poll(() => focusIsLost(page), POLL).toBe(false);
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

async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await hasFocus(element)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${element}.`);
}

function focusIsLost(page: Page): Promise<boolean> {
  return page.evaluate(() => document.activeElement === document.body);
}
