import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLAUDE_SCRIPT } from '../support/claude-script.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { findChromium, launch, visitConsole } from './support/browser.ts';

const chromium = findChromium();
if (chromium === undefined) console.warn('SKIPPED: agent checks in a browser: no chromium on the PATH.');

const CHECK_MS = 60_000;

describe.skipIf(chromium === undefined)('the agents in the settings', () => {
  let browser: Browser;
  let c: TestConsole;
  beforeAll(async () => {
    browser = await launch(chromium ?? '');
    c = await startConsole({ env: { ANTHROPIC_API_KEY: 'sk-test-dummy' } });
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
  afterAll(async () => {
    await browser.close();
    await c.close();
  });

  it.each([
    ['light', {}],
    ['dark', { dark: true }],
    ['phone', { width: 390, height: 844 }],
  ])('show the state of each, and the result of a check (%s)', async (variant, options) => {
    const { page, context, problems, screenshot } = await visitConsole(browser, c, {
      ...options,
      path: '/settings/agents',
    });
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first();
    await row('With a key').getByText('2.1.330 · logged in').waitFor();
    await row('A stranger').getByText('not logged in').waitFor();
    await row('Gone').getByText('no-such-program not found').waitFor();
    expect(await page.getByRole('button', { name: 'Check Gone' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Check Scripted agent', exact: true }).click();
    await page.getByRole('progressbar').waitFor();
    const works = page.getByRole('region', { name: 'Check of Scripted agent' });
    await works.getByText('Scripted agent works').waitFor({ timeout: CHECK_MS });
    await page.getByRole('button', { name: 'Check Quiet one' }).click();
    const failed = page.getByRole('region', { name: 'Check of Quiet one' });
    await failed.getByText('Quiet one is not ready').waitFor({ timeout: CHECK_MS });
    await failed.getByText('Welcome. Type something.').waitFor();
    await works.scrollIntoViewIfNeeded();
    await screenshot(`agent-check-${variant}`);

    await page.getByRole('button', { name: 'Check A prompted one' }).click();
    const prompted = page.getByRole('region', { name: 'Check of A prompted one' });
    await prompted.getByRole('button', { name: 'Check with a prompt' }).click({ timeout: CHECK_MS });
    await prompted.getByText('The agent answered a prompt.').waitFor({ timeout: CHECK_MS });
    await prompted.scrollIntoViewIfNeeded();
    await screenshot(`agent-check-prompt-${variant}`);
    await context.close();
    expect(problems).toEqual([]);
  });
});
