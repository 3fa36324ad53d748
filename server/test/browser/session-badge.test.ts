import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { POLL, rowOf } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

// The tests end the runner, and Chromium logs the resulting errors.
browserSuite('session badges in the dashboard', { allowed: /./ }, ({ c, open }) => {
  const delegate = (prompt: string, title: string) =>
    c.client.call('delegations.create', { repositoryId: c.repository.id, prompt, title });
  const taskOf = async (sessionId: string) => (await c.client.call('sessions.get', { sessionId })).task;

  it('are the same for early and late visitors, on every page', async () => {
    const early = await open({ path: '/sessions' });
    await early.page.getByRole('heading', { name: 'Get started' }).waitFor();
    for (const [outcome, title] of [
      ['failed', 'broken'],
      ['succeeded', 'finished'],
    ] as const) {
      const { sessionId } = await delegate(`@report ${outcome} so it is`, title);
      await c.until('the end', async () => (await taskOf(sessionId))?.endedAt != null);
    }
    const late = await open({ path: '/sessions', dark: true });
    for (const { page, screenshot } of [early, late]) {
      const broken = rowOf(page, 'broken').and(page.locator('[data-badge=failed]'));
      await broken.getByText('failed', { exact: true }).waitFor();
      await rowOf(page, 'finished').and(page.locator('[data-badge=done]')).waitFor();
      await screenshot(`badge-tree-${page === late.page ? 'late' : 'early'}`);
      await page.goto(`${c.baseUrl}/repositories/${c.repository.id}`);
      const links = page.getByRole('listitem');
      await links.locator('a[data-badge=failed]', { hasText: 'broken' }).getByText('failed').waitFor();
      await links.locator('a[data-badge=done]', { hasText: 'finished' }).getByText('done').waitFor();
      await screenshot(`badge-repository-${page === late.page ? 'late' : 'early'}`);
    }
  });

  it('name a session without a title by its branch', async () => {
    const { sessionId } = await delegate('@report succeeded fine', 'x');
    await c.client.call('sessions.update', { sessionId, title: '' });
    const { gitState } = await c.client.call('sessions.get', { sessionId });
    const { page } = await open({ path: `/sessions/${sessionId}` });
    await page.getByRole('heading', { name: gitState?.ref ?? 'no branch', exact: true }).waitFor();
  });

  it('wrap a long path in an error message', async () => {
    const { sessionId, worktreePath } = await delegate('@report succeeded fine', 'gone');
    await c.until('the end', async () => (await taskOf(sessionId))?.endedAt != null);
    // git's error contains the whole path of the missing repository, and is therefore wider than the page.
    writeFileSync(join(worktreePath, '.git'), `gitdir: ${join(c.folder, 'nowhere'.repeat(30))}\n`);
    const { page, screenshot } = await open({ path: `/sessions/${sessionId}?view=events` });
    const files = page.getByRole('complementary', { name: 'Details' }).locator('p');
    const message = files.filter({ hasText: 'no longer a readable git checkout' });
    await message.waitFor();
    await screenshot('badge-long-path');
    expect(await message.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
  });

  it('report a lost runner, and the unknown exit status of its agents', async () => {
    const { sessionId } = await delegate('@sleep 600000', 'sleeper');
    await c.until('work', async () => (await taskOf(sessionId))?.status === 'running');
    const { page, screenshot } = await open({ path: `/sessions/${sessionId}` });
    await rowOf(page, 'sleeper').waitFor();
    process.kill((await c.runner.status()).pid, 'SIGKILL');
    await page.getByText("The runner stopped unexpectedly, so the agent's exit status is unknown").waitFor();
    await screenshot('badge-no-runner');
    await page.getByRole('treeitem', { name: /^sleeper, lost / }).waitFor({ timeout: POLL.timeout });
  });
});
