import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { VisitOptions } from './support/browser.ts';
import { expectForgotten, isInMemory, POLL } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

const FORM = JSON.stringify({
  type: 'object',
  title: 'Release',
  properties: {
    version: { type: 'string', title: 'Version', description: 'Three numbers', pattern: '^\\d+\\.\\d+\\.\\d+$' },
    count: { type: 'integer', title: 'Builds to keep', minimum: 1, default: 3 },
    channel: {
      type: 'string',
      title: 'Channel',
      oneOf: [
        { const: 'b', title: 'Beta' },
        { const: 's', title: 'Stable' },
      ],
    },
    parts: { type: 'array', title: 'Parts', items: { enum: ['server', 'client', 'docs'] }, default: ['server'] },
    sign: { type: 'boolean', title: 'Sign the release', default: true },
    token: { type: 'string', title: 'Registry token' },
  },
  required: ['version', 'channel'],
});

// Chromium logs every error response, including the refusals that the tests expect.
const OPTIONS = { allowed: /400|422/, env: { SCRIPTED_AGENT_LOGIN: 'required' } };

browserSuite('a request of an agent to a person', OPTIONS, (suite) => {
  const { c } = suite;
  const marker = () => join(c.home, 'transcripts', 'logged-in');
  beforeAll(async () => {
    mkdirSync(join(c.home, 'transcripts'), { recursive: true });
    writeFileSync(marker(), '');
  });

  const start = (prompt: string) =>
    c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted-acp',
      title: 'release',
      prompt,
    });
  const open = (path: string, options: VisitOptions = {}) => suite.open({ ...options, path });
  const questionIn = (page: Page) => page.getByRole('region', { name: 'Question from the agent' });

  it('is shown as a form, with problems next to the fields', async () => {
    const { sessionId } = await start(`@form ${FORM}\n@report succeeded Released.`);
    const { page, screenshot } = await open(`/sessions/${sessionId}`);
    const question = questionIn(page);
    const version = question.getByRole('textbox', { name: 'Version' });
    await version.fill('1.0');
    expect(await question.getByLabel('Registry token').getAttribute('type')).toBe('password');
    await screenshot('form-light');
    const phone = await open('/inbox', { width: 390, height: 844 });
    const versionOnPhone = phone.page.getByRole('textbox', { name: 'Version' });
    await versionOnPhone.fill('2.0');
    await phone.screenshot('form-phone');
    // The form keeps its values while another page is open.
    await phone.page.getByRole('link', { name: 'Repos' }).tap();
    await versionOnPhone.waitFor({ state: 'detached' });
    await phone.page.goBack();
    await expect.poll(() => versionOnPhone.inputValue(), POLL).toBe('2.0');
    await phone.page.getByLabel('Registry token').fill('unsent-secret');
    await phone.page.getByRole('link', { name: 'Repos' }).tap();
    await versionOnPhone.waitFor({ state: 'detached' });
    expect(await isInMemory(phone.page, 'unsent-secret')).toBe(true);

    const send = question.getByRole('button', { name: 'Send' });
    await send.click();
    await question.getByText('must match').waitFor();
    await question.getByText('choose a value').waitFor();
    await screenshot('form-problems');
    await version.fill('1.0.0');
    await question.getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option', { name: 'Beta' }).click();
    await question.getByRole('checkbox', { name: 'client' }).check();
    await question.getByRole('checkbox', { name: 'Sign the release' }).uncheck();
    await question.getByLabel('Registry token').fill('very-secret');
    await version.press('Enter');
    const sent =
      '"version":"1.0.0","count":3,"channel":"b","parts":["server","client"],"sign":false,"token":"very-secret"';
    await page.getByRole('region', { name: 'Conversation' }).getByText(`form accept {${sent}}`).waitFor();
    await question.waitFor({ state: 'detached' });
    await phone.page.getByRole('link', { name: 'Inbox 1 unread' }).waitFor();
    await expectForgotten(phone.page, 'unsent-secret');
  });

  it('is shown as a page to open, which opens in a new tab when it is accepted', async () => {
    const url = `${c.baseUrl}/health?code=12345`;
    const { sessionId } = await start(`@link ${url}\n@report succeeded Done.`);
    const { page, context, screenshot } = await open(`/sessions/${sessionId}`, { dark: true });
    const question = questionIn(page);
    await question.getByText(url).waitFor();
    await screenshot('link-dark');
    const link = question.getByRole('link', { name: /^Open 127/ });
    await link.click({ trial: true });
    await expect.poll(() => link.getAttribute('aria-disabled'), POLL).toBe(null);
    const opened = context.waitForEvent('page');
    await link.click();
    await expect.poll(async () => (await opened).url(), POLL).toBe(url);
    await page.getByRole('region', { name: 'Conversation' }).getByText('link accept').waitFor();
  });

  it('is shown as the question how to log in', async () => {
    rmSync(marker());
    const { sessionId } = await start('@report succeeded In.');
    const { page, screenshot } = await open(`/sessions/${sessionId}`);
    const question = questionIn(page);
    await question.getByText('needs a log-in').waitFor();
    await question.getByText(/then try again/).waitFor();
    await screenshot('login-light');
    await question.getByRole('button', { name: 'Log in for this process' }).click();
    await c.until('the report', async () => (await c.client.call('sessions.get', { sessionId })).task?.endedAt != null);
  });
});
