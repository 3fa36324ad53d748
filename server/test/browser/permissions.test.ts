import { expect, it } from 'vitest';
import { openSession, POLL } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

browserSuite('the permission menu of a session', {}, ({ c, open }) => {
  it('shows and changes the effective mode, and says when a running agent adopts it', async () => {
    await c.client.call('agents.create', {
      id: 'mine',
      name: 'Mine',
      kind: 'claude-code',
      command: ['sh', '-c', 'cat'],
    });
    const fields = { cwd: c.folder, agentId: 'mine', title: 'Review', permissionMode: 'auto' } as const;
    const { id: sessionId } = await c.client.call('sessions.create', fields);
    const { page } = await open({ width: 1600, height: 1400 });
    await openSession(page, 'Review');
    const mode = page.getByRole('combobox', { name: 'Mode', exact: true });
    await page.getByText('In effect: Accept edits').waitFor();
    await mode.click();
    const options = page.getByRole('option');
    await page.getByRole('option', { name: /^Ask.*the agent uses Default instead/ }).waitFor();
    expect(await options.count()).toBe(8);
    await page.keyboard.press('Escape');
    const configOf = async () => (await c.client.call('sessions.get', { sessionId })).permissionConfig;
    await mode.click();
    await page.getByRole('option', { name: /^Bypass permissions/ }).click();
    await expect.poll(configOf, POLL).toMatchObject({ mode: 'bypassPermissions', ceiling: 'bypassPermissions' });
    await c.client.call('workers.create', { sessionId, type: 'agent' });
    const ceiling = page.getByRole('combobox', { name: 'Highest allowed mode' });
    await ceiling.click();
    await page.getByRole('option', { name: /^Default/ }).click();
    await page.getByText('Takes effect with the next task').waitFor();
    expect(await configOf()).toMatchObject({ mode: 'default', ceiling: 'default', applies: 'nextTask' });
  });
});
