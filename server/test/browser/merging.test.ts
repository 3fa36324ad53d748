import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { browserSuite } from './support/suite.ts';

browserSuite('finishing work in the dashboard', {}, ({ c, open }) => {
  beforeAll(async () => {
    await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: 'test -f total.txt' });
  });

  /**
   * Delegates a task that writes a file, and commits it if `committed` is true. Returns the session's id after the end
   * of the task.
   */
  async function finishedTask(branch: string, { committed = true } = {}) {
    const commit = committed ? `@commit Work of ${branch}\n` : '';
    const prompt = `@write total.txt ${branch}\\n\n${commit}@report succeeded done`;
    const fields = { repositoryId: c.repository.id, branch, title: `Task ${branch}`, prompt };
    const { sessionId } = await c.client.call('delegations.create', fields);
    await c.until('the end', async () => (await c.client.call('sessions.get', { sessionId })).task?.endedAt != null);
    return sessionId;
  }

  const tip = () => c.git(['rev-parse', 'main'], c.repository.path);
  const bar = (page: Page) => page.getByRole('region', { name: 'Commit, merge and push' });
  const dialogOf = (page: Page) => page.getByRole('dialog');

  it('commits, checks, merges and undoes with the keyboard only', async () => {
    const sessionId = await finishedTask('cart', { committed: false });
    const before = tip();
    const { page, screenshot } = await open({ path: `/sessions/${sessionId}` });
    await page.getByRole('heading', { name: 'Task cart' }).waitFor();
    await page.keyboard.press('d');
    await bar(page).getByText('1 uncommitted file').waitFor();
    await page.keyboard.press('Shift+M');
    await page.getByText('Commit or discard the changes of 1 file first.').last().waitFor();
    expect(await dialogOf(page).count()).toBe(0);

    await page.keyboard.press('Shift+C');
    await dialogOf(page).getByText('total.txt').waitFor();
    await page.keyboard.type('Add the total');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 file committed').waitFor();
    expect(c.git(['log', '-1', '--format=%s', 'cart'], c.repository.path)).toBe('Add the total');

    await bar(page).getByText('1 ahead').waitFor();
    await page.keyboard.press('Shift+R');
    await bar(page).getByText('check passed').waitFor();
    await screenshot('merging-bar');

    await page.keyboard.press('Shift+M');
    await dialogOf(page).getByText('There are no conflicts').waitFor();
    await screenshot('merging-dialog');
    await page.keyboard.press('Control+Enter');
    await dialogOf(page).getByRole('status').getByText('The target branch is now at commit').waitFor();
    expect(readFileSync(join(c.repository.path, 'total.txt'), 'utf8')).toBe('cart\n');
    await page.keyboard.press('Escape');
    await bar(page).getByText('Merged into main').waitFor();

    await page.keyboard.press('Shift+Z');
    await page.getByText('Merge undone: main is back at the commit before the merge').waitFor();
    expect(tip()).toBe(before);
    await bar(page).getByText('1 ahead').waitFor();
  });

  it('commits and merges from the list of branches', async () => {
    await finishedTask('listed', { committed: false });
    const { page, screenshot } = await open({ path: `/repositories/${c.repository.id}?tab=branches` });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await button('Commit… listed').click();
    await dialogOf(page).getByText('total.txt').waitFor();
    await page.keyboard.type('List the total');
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 file committed').waitFor();
    await screenshot('merging-branches');
    await button('Merge… listed').click();
    await dialogOf(page).getByRole('heading', { name: /Merge/ }).waitFor();
    await page.keyboard.press('Escape');
    // While a dialog is open, the accessibility tree contains no buttons of the page, so `getByRole` does not find
    // them.
    await button('Merge… listed').waitFor();
    await button('Commit… listed').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for listed' }).click();
    await page.getByRole('menuitem', { name: 'Commit…', disabled: true }).waitFor();
    await page.getByRole('menuitem', { name: 'Merge…', disabled: false }).waitFor();
  });

  it('discards files and single hunks, says how to restore them, and links to the terminal of a check', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
    writeFileSync(join(c.repository.path, 'long.txt'), lines.join(''));
    c.git(['add', '.'], c.repository.path);
    c.git(['commit', '--quiet', '-m', 'Long file'], c.repository.path);
    const sessionId = await finishedTask('drop', { committed: false });
    const { worktreeId } = await c.client.call('sessions.get', { sessionId });
    const { path } = await c.client.call('worktrees.get', { worktreeId: worktreeId ?? '' });
    writeFileSync(join(path, 'long.txt'), lines.join('').replace('line 2\n', 'TWO\n').replace('line 25\n', 'MANY\n'));
    const { page, screenshot } = await open({ path: `/sessions/${sessionId}?view=diff` });
    await bar(page).getByText('2 uncommitted files').waitFor();
    await page.keyboard.press('Shift+D');
    await dialogOf(page).getByText('2 of 2 hunks').click();
    await dialogOf(page).getByRole('checkbox', { name: 'Hunk 2 of long.txt' }).press('Space');
    await dialogOf(page).getByText('1 of 2 hunks').waitFor();
    await screenshot('merging-discard');
    await page.keyboard.press('Control+Enter');
    await dialogOf(page).getByText('Changes of 2 files discarded').waitFor();
    await screenshot('merging-discarded');
    expect(c.git(['status', '--porcelain'], path)).toBe('M long.txt');
    expect(readFileSync(join(path, 'long.txt'), 'utf8')).toBe(lines.join('').replace('line 25\n', 'MANY\n'));
    const command = (await dialogOf(page).locator('code').textContent()) ?? '';
    execFileSync('sh', ['-c', command], { cwd: path });
    expect(readFileSync(join(path, 'total.txt'), 'utf8')).toBe('drop\n');
    expect(readFileSync(join(path, 'long.txt'), 'utf8')).toContain('TWO\n');
    await page.keyboard.press('Escape');

    const release = join(path, 'release');
    const checkCommand = 'until test -f release; do sleep 0.05; done';
    await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand });
    await page.keyboard.press('Shift+R');
    await bar(page).getByRole('button', { name: 'Watch' }).waitFor();
    await c.until('the command', async () => {
      const { data } = await c.client.call('sessions.workers', { sessionId });
      return data.some(({ type, state }) => type === 'terminal' && state === 'running');
    });
    await bar(page).getByRole('button', { name: 'Watch' }).press('Enter');
    await page.waitForURL(/view=terminal&worker=/);
    writeFileSync(release, '');
    await page.getByText('Check passed').waitFor();
    await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: 'test -f total.txt' });
  });

  it('shows conflicts by file and side before anything changes, and delegates them to an agent', async () => {
    const sessionId = await finishedTask('mails');
    writeFileSync(join(c.repository.path, 'total.txt'), 'main\n');
    c.git(['add', '.'], c.repository.path);
    c.git(['commit', '--quiet', '-m', 'Other total'], c.repository.path);
    const before = tip();
    const { page, screenshot } = await open({ path: `/sessions/${sessionId}?view=diff`, dark: true });
    await bar(page).getByText('conflicts with main').waitFor();
    await page.keyboard.press('Shift+M');
    const files = dialogOf(page).getByRole('list', { name: 'Files in conflict' });
    await files.getByText('total.txt').waitFor();
    expect(await files.getByRole('listitem').allTextContents()).toHaveLength(1);
    for (const side of ['in main', 'in mails']) await files.getByText(side).waitFor();
    await screenshot('merging-conflict-dark');
    await page.keyboard.press('Control+Enter');
    await dialogOf(page).getByText('An agent is resolving the conflicts').waitFor();
    await dialogOf(page).getByRole('button', { name: "Open the agent's session" }).press('Enter');
    await page.getByRole('heading', { name: 'Resolve conflicts of mails with main' }).waitFor();
    expect(tip()).toBe(before);
  });

  it('marks sessions that change the same files, and links to both diffs', async () => {
    const left = await finishedTask('left');
    await finishedTask('right');
    const { page, screenshot } = await open({ path: `/sessions/${left}?view=diff` });
    const mark = page.locator('header').getByRole('button', { name: /^Conflicts with/ });
    await mark.waitFor();
    await page.keyboard.press('Shift+O');
    await dialogOf(page).getByText('▲ conflict').first().waitFor();
    await screenshot('merging-overlaps');
    await dialogOf(page).getByRole('button', { name: 'Open the diff of Task right' }).press('Enter');
    await page.getByRole('heading', { name: 'Task right' }).waitFor();
    expect(page.url()).toContain('view=diff');
  });

  it('removes finished worktrees together, and restores one', async () => {
    const { repository } = c;
    const sessionId = await finishedTask('finished');
    const { worktreeId } = await c.client.call('sessions.get', { sessionId });
    const fields = { worktreeId: worktreeId ?? '' };
    c.git(['reset', '--quiet', '--hard', 'finished'], repository.path);
    const cleanupCommand = 'echo no database; exit 1';
    await c.client.call('repositories.update', { repositoryId: repository.id, cleanupCommand });
    await c.client.call('sessions.stop', { sessionId });
    const { name } = await c.client.call('worktrees.get', fields);
    const { page, screenshot } = await open({ path: `/repositories/${repository.id}?tab=cleanup` });
    const section = page.getByRole('region', { name: 'Clean up' });
    await section.getByRole('checkbox', { name: `${name}, merged` }).press('Space');
    await section.getByRole('button', { name: /^Remove 1…/ }).press('Enter');
    await screenshot('merging-clean-up');
    await section.getByRole('button', { name: 'Remove 1 worktree', exact: true }).press('Enter');
    await section.getByText('1 of 1 worktree removed.').waitFor();
    await section.getByText('The cleanup command of the repository failed: no database').waitFor();
    expect(await c.client.call('worktrees.get', fields)).toMatchObject({ state: 'removed' });
    await section.getByRole('button', { name: `Restore ${name}` }).press('Enter');
    await section.getByText('restored', { exact: true }).waitFor();
    expect(await c.client.call('worktrees.get', fields)).toMatchObject({ state: 'ready' });
  });
});
