import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { CLAUDE_SCRIPT } from '../support/claude-script.ts';
import { browserSuite } from './support/suite.ts';

/** Timeout for the check of an agent, which takes longer than other changes of a page. */
const CHECK = { timeout: 60_000 };
const VARIANTS = { light: {}, dark: { dark: true }, phone: { width: 390, height: 844 } };

const OPTIONS = {
  env: { ANTHROPIC_API_KEY: 'sk-test-dummy' },
  // Chromium logs that the server refused invalid agent definitions.
  allowed: /status of 400/,
};

browserSuite('the agents in the settings', OPTIONS, ({ c, open }) => {
  beforeAll(async () => {
    const add = async (id: string, name: string, kind: 'claude-code' | 'codex' | 'custom', script: string) => {
      const program = join(c.folder, id);
      writeFileSync(program, `#!/bin/sh\n${script}\n`);
      chmodSync(program, 0o755);
      await c.client.call('agents.create', { id, name, kind, command: [program] });
    };
    await add('quiet', 'Quiet one', 'custom', 'echo "Welcome. Type something."; exec sleep 600');
    await add('keyed', 'With a key', 'claude-code', 'echo 2.1.330');
    await add('prompted', 'A prompted one', 'claude-code', CLAUDE_SCRIPT);
    await add('stranger', 'A stranger', 'codex', 'echo 0.169.0');
    await c.client.call('agents.create', { id: 'gone', name: 'Gone', command: ['no-such-program'] });
  });

  it('are added by name, command and arguments, with errors at their fields, and get another id', async () => {
    const { page, screenshot } = await open({ path: '/settings/agents' });
    const dialog = page.getByRole('dialog');
    const described = (name: string) => dialog.getByLabel(name, { exact: true }).locator('xpath=../..');
    await page.getByRole('button', { name: 'Add agent' }).click();
    await dialog.getByLabel('Name').fill('Gone');
    expect(await dialog.getByLabel('ID').inputValue()).toBe('gone');
    await described('ID').getByText('Another agent has this ID. Enter a different ID.').waitFor();
    await dialog.getByLabel('Name').fill('Écho, twice');
    expect(await dialog.getByLabel('ID').inputValue()).toBe('echo-twice');
    await page.keyboard.press('Control+Enter');
    await described('Command').getByText('Enter a command.').waitFor();
    await page.keyboard.type('cat');
    await dialog.getByLabel('Arguments').fill('-u\n-');
    await dialog.getByLabel('Environment variables').fill('KEY=secret');
    await page.keyboard.press('Control+Enter');
    await described('Environment variables').getByText('Must be the name of an environment variable').waitFor();
    await dialog.getByLabel('Environment variables').fill('KEY');
    await page.keyboard.press('Control+Enter');
    const row = page.getByRole('region', { name: 'Installed', exact: true }).getByRole('listitem');
    await row.filter({ hasText: 'Écho, twice' }).getByText('cat -u -').waitFor();
    const added = { command: ['cat', '-u', '-'], env: ['KEY'], driver: 'pty' };
    expect(await c.client.call('agents.get', { id: 'echo-twice' })).toMatchObject(added);

    await row.filter({ hasText: 'Écho, twice' }).getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('ID').fill('echo');
    await page.keyboard.press('Control+Enter');
    await row.getByText('echo', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Add agent' }).click();
    await dialog.getByRole('button', { name: 'Paste an entry of the ACP registry' }).click();
    await page.keyboard.type('{"id": "pasted"');
    await page.keyboard.press('Control+Enter');
    await described('Registry entry').getByText('This is not valid JSON').waitFor();
    await page.keyboard.type(', "name": "Pasted"}');
    await page.keyboard.press('Control+Enter');
    await described('Registry entry').getByText('Distribution is missing').waitFor();
    await screenshot('agent-registry-entry');
    const distribution = { npx: { package: 'pasted', args: ['--acp'] } };
    const entry = JSON.stringify({ id: 'pasted', name: 'Pasted', distribution });
    await dialog.getByLabel('Registry entry').fill(entry);
    await page.keyboard.press('Control+Enter');
    await page.getByText('npx -y pasted --acp').waitFor();
  });

  it('are shown with their state and the result of a check, in both themes and on a phone', async () => {
    const visits = await Promise.all(
      Object.entries(VARIANTS).map(async ([variant, options]) => ({
        ...(await open({ ...options, path: '/settings/agents' })),
        variant,
      })),
    );
    // Pages that request a check while it is already running share the check, so every page gets its result.
    const everywhere = (step: (page: Page) => Promise<unknown>) => Promise.all(visits.map(({ page }) => step(page)));
    const check = (name: string) =>
      everywhere((page) => page.getByRole('button', { name: `Check ${name}`, exact: true }).click());
    const resultOf = (page: Page, name: string) => page.getByRole('region', { name: `Check of ${name}` });

    await everywhere(async (page) => {
      const row = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first();
      await row('With a key').getByText('2.1.330 · logged in').waitFor();
      await row('A stranger').getByText('not logged in').waitFor();
      await row('Gone').getByText('no-such-program not found').waitFor();
      expect(await page.getByRole('button', { name: 'Check Gone' }).count()).toBe(0);
    });

    await check('Quiet one');
    await check('Scripted agent');
    await everywhere((page) => page.getByRole('progressbar').first().waitFor());
    await everywhere((page) => resultOf(page, 'Scripted agent').getByText('Scripted agent works').waitFor(CHECK));
    await check('A prompted one');
    const prompt = (page: Page) =>
      resultOf(page, 'A prompted one').getByRole('button', { name: 'Check with a prompt' });
    await everywhere((page) => prompt(page).waitFor(CHECK));
    await everywhere((page) => prompt(page).click());
    await everywhere(async (page) => {
      const failed = resultOf(page, 'Quiet one');
      await failed.getByText('Quiet one is not ready').waitFor(CHECK);
      await failed.getByText('Welcome. Type something.').waitFor();
      await resultOf(page, 'A prompted one').getByText('The agent answered a prompt.').waitFor(CHECK);
    });
    for (const { page, screenshot, variant } of visits) {
      await resultOf(page, 'Scripted agent').scrollIntoViewIfNeeded();
      await screenshot(`agent-check-${variant}`);
      await resultOf(page, 'A prompted one').scrollIntoViewIfNeeded();
      await screenshot(`agent-check-prompt-${variant}`);
    }
  });
});
