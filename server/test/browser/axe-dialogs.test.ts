import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { colourFindings, seriousFindings } from './support/axe.ts';
import { browserSuite } from './support/suite.ts';

browserSuite('dialogs, settings and runs with a screen reader', {}, ({ c, open }) => {
  let changed = '';
  let run = '';
  beforeAll(async () => {
    const repositoryId = c.repository.id;
    const prompt = '@write notes.txt one two\n@commit Notes\n@report succeeded Done.';
    changed = (await c.client.call('delegations.create', { repositoryId, prompt, title: 'changed' })).sessionId;
    await c.client.call('sessions.update', { sessionId: changed, labels: ['docs'] });
    const agents = [
      { role: 'engineer', task: '@report succeeded Built.' },
      { role: 'tester', task: '@report failed No tests.' },
    ];
    run = (
      await c.client.call('orchestrations.create', {
        objective: 'Ship it',
        repositoryId,
        strategy: 'sequential',
        agents,
      })
    ).id;
    await c.client.call('orchestrations.start', { orchestrationId: run });
    await c.client.call('users.create', { username: 'ann' });
    await c.until('the ends', async () => {
      const { data } = await c.client.call('sessions.list', {});
      const { state } = await c.client.call('orchestrations.get', { orchestrationId: run });
      return data.every(({ task }) => task?.endedAt != null) && state === 'failed';
    });
  });

  /** Adds the findings for the shown page in both themes to `found`. */
  async function examine(page: Page, name: string, found: Record<string, unknown>): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await seriousFindings(page);
    if (light.length > 0) found[`light ${name}`] = light;
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await colourFindings(page);
    if (dark.length > 0) found[`dark ${name}`] = dark;
  }

  const press = (keys: string) => (page: Page) => page.keyboard.press(keys);
  const click = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();
  const choose = (menu: RegExp, item: string) => async (page: Page) => {
    await page.getByRole('button', { name: menu }).last().click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('has no findings of axe in dialogs', async () => {
    const found: Record<string, unknown> = {};
    const { page, screenshot } = await open({ path: '/sessions' });
    // Waits for the end of the login, which navigating would interrupt.
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    const session = `/sessions/${changed}?view=diff`;
    const worktrees = `/repositories/${c.repository.id}`;
    const actions = /^Actions for /;
    let at = '';
    for (const [path, ready, act, name] of [
      ['/sessions', '[role=treeitem]', press('c'), 'Delegate work'],
      ['/sessions', '', press('Control+k'), 'Search or run a command'],
      ['/sessions', '', press('?'), 'Keyboard shortcuts'],
      [session, 'text=1 ahead', press('Shift+M'), /^Merge/],
      [session, '', choose(/^Session actions$/, 'Labels…'), 'Labels'],
      [session, '', choose(/^Session actions$/, 'Remove…'), /^Remove/],
      [session, '', click('Fork…'), /^Fork/],
      [worktrees, 'text=changed', choose(actions, 'Remove…'), /^Remove/],
      ['/tokens', 'text=Tokens', click('Create token'), 'Create token'],
      ['/settings/agents', 'li', click('Add agent'), 'Add agent'],
      ['/mcp-servers', 'h1', click('Add MCP server'), 'Add MCP server'],
      ['/repositories', 'text=shop', click('Add repository'), 'Add repository'],
      ['/runs', 'text=Ship it', press('+'), 'New run'],
    ] as const) {
      if (path !== at) {
        await page.goto(`${c.baseUrl}${path}`);
        await page.locator(ready).first().waitFor();
        at = path;
      }
      await act(page);
      const dialog = page.getByRole('dialog', { name });
      await dialog.waitFor();
      await examine(page, String(name), found);
      await screenshot(`axe-${String(name).replaceAll(/[^a-z]+/gi, '-')}`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    expect(found).toEqual({});
  });

  it('has no findings of axe in settings and runs', async () => {
    const found: Record<string, unknown> = {};
    const { page, screenshot } = await open({ path: '/settings/general' });
    // Waits for the end of the login, which navigating would interrupt.
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    for (const [path, ready] of [
      ['/settings/general', 'form'],
      ['/settings/mcp-servers', 'h1'],
      ['/settings/appearance', 'fieldset'],
      ['/settings/keys', 'kbd'],
      ['/settings/tokens', 'li'],
      ['/settings/users', 'text=ann'],
      ['/settings/audit', 'time'],
      ['/settings/about', 'dl'],
      ['/runs', 'text=Ship it'],
      [`/runs/${run}`, '[data-agent]'],
      [`/runs/${run}?view=table`, 'table'],
      [`/runs/${run}?view=events`, 'time'],
    ] as const) {
      await page.goto(`${c.baseUrl}${path}`);
      await page.locator(ready).first().waitFor({ state: 'attached' });
      await examine(page, path.replace(run, 'run'), found);
      await screenshot(`axe${path.replace(run, 'run').replaceAll(/[^a-z]+/gi, '-')}`);
    }
    expect(found).toEqual({});
  });
});
