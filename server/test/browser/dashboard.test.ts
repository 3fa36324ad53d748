import { expect, it } from 'vitest';
import { loginLink } from './support/browser.ts';
import { POLL, pressTogether, rowOf, untilScreen } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

browserSuite('the dashboard', {}, ({ c, open, visit }) => {
  it('explains how to log in, and accepts a login link once', async () => {
    const stranger = await visit();
    await stranger.page.goto(c.baseUrl);
    await stranger.page.getByText('agent-console open').waitFor();
    const link = await loginLink(c);
    const { page } = await visit();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    expect(page.url()).not.toContain('code=');
    const second = await visit();
    await second.page.goto(link);
    await second.page.getByText('expired or was already used').waitFor();
    expect(second.problems.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  it('delegates from the dialog, shows progress, passes an answer on, and shows the changes', async () => {
    const { page, screenshot } = await open();
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    await screenshot('empty');
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog
      .getByLabel('Prompt')
      .fill(
        [
          '@write src/greeting.ts export const greeting = "hello";',
          '@ask Shall I commit it?',
          '@commit Greet people',
          '@report succeeded Greets now.',
        ].join('\n'),
      );
    await dialog.getByText('More options', { exact: true }).click();
    await dialog.getByLabel('Title').fill('greeting');
    await screenshot('delegate-dialog');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'greeting' }).waitFor();
    await untilScreen(page, 'Shall I commit it? (y/n)');
    await rowOf(page, 'greeting').and(page.locator('[data-badge=needs]')).waitFor();
    await expect.poll(() => page.title(), POLL).toBe('(1) Agent Console');
    await screenshot('session-asks');
    // The page accepts an answer only after it has shown the question for a moment.
    await page
      .getByRole('region', { name: 'Question from the agent' })
      .getByRole('button', { name: 'Yes' })
      .click({ trial: true });
    await page.getByRole('button', { name: '▲ Answer' }).click();
    await page.keyboard.press('y');
    await page.getByText('Greets now.').first().waitFor();
    await untilScreen(page, 'committed');
    await page.getByRole('link', { name: /^Diff/ }).click();
    await page.getByRole('link', { name: 'Diff +1' }).waitFor();
    await page.getByRole('region', { name: 'Changes' }).getByText('greeting.ts').first().waitFor();
    await screenshot('diff');
    await page.getByRole('link', { name: 'Events' }).click();
    await page
      .getByText(/committed|ended|completed/i)
      .first()
      .waitFor();
    await screenshot('events');
    await page.getByRole('link', { name: 'Conversation' }).click();
    await page.getByRole('region', { name: 'Conversation' }).getByText('Greets now.').first().waitFor();
    await screenshot('conversation');
  });

  it('accepts answers in the inbox and removes answered questions', async () => {
    const prompt = '@ask Shall I?\n@report succeeded Did it.';
    const fields = { repositoryId: c.repository.id, prompt, title: 'question' };
    const made = await c.client.call('delegations.create', fields);
    // An open inbox shows new items only on request, so the question must exist before the page opens.
    await c.until('the question', async () => {
      const { task } = await c.client.call('sessions.get', { sessionId: made.sessionId });
      return task?.waitingFor === 'answer';
    });
    const { page, screenshot } = await open({ path: '/inbox' });
    const need = page.getByRole('article', { name: 'question asks' });
    await need.getByText('Shall I?').waitFor();
    await screenshot('inbox');
    await need.getByRole('button', { name: 'Yes' }).click();
    await c.until(
      'the report',
      async () => (await c.client.call('sessions.get', { sessionId: made.sessionId })).task?.status === 'completed',
    );
    await page.getByRole('article', { name: 'question asks' }).getByText('asks').waitFor({ state: 'detached' });
  });
});

browserSuite('the dashboard without a mouse', {}, ({ c, open }) => {
  it('is navigable by keyboard, and finds anything by name', async () => {
    for (const title of ['three', 'two', 'one']) await c.client.call('sessions.create', { cwd: c.folder, title });
    const { page, screenshot } = await open();
    await rowOf(page, 'three').waitFor();
    for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('treeitem', { selected: true, name: /^one, / }).waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog');
    await palette.getByPlaceholder(/./).fill('two');
    await palette.getByRole('option', { name: /two/ }).first().waitFor();
    await screenshot('palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'two' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText(/inbox/i).first().waitFor();
    await screenshot('keys');
    await page.keyboard.press('Escape');
    await pressTogether(page, 'g', 'r');
    await page.getByText('shop').first().waitFor();
    await screenshot('repositories');
  });
});

browserSuite('the dashboard with many sessions', {}, ({ c, open }) => {
  it('fits every size, with one session, thirty and a thousand', { timeout: 240_000 }, async () => {
    const prompt = '@say At work.\n@report succeeded All done.';
    await c.client.call('delegations.create', { repositoryId: c.repository.id, prompt, title: 'first work' });
    const windows = [
      { width: 1440, height: 900, colorScheme: 'light' },
      { width: 1440, height: 900, colorScheme: 'dark' },
      { width: 1024, height: 700, colorScheme: 'dark' },
    ] as const;
    let made = 0;
    for (const count of [1, 30, 1_000]) {
      while (made < count - 1) {
        const batch = Array.from({ length: Math.min(25, count - 1 - made) }, (_, n) => `session ${made + n + 1}`);
        await Promise.all(batch.map((title) => c.client.call('sessions.create', { cwd: c.folder, title })));
        made += batch.length;
      }
      const { page, screenshot, context } = await open({ path: '/sessions' });
      for (const { width, height, colorScheme } of windows) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await page.getByRole('treeitem').nth(1).waitFor();
        await screenshot(`sessions-${count}-${width}-${colorScheme}`);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect(wider).toBe(false);
      }
      await context.close();
      const phone = await open({ width: 390, height: 844, path: '/sessions' });
      await phone.page.getByRole('treeitem').nth(1).waitFor();
      await phone.screenshot(`sessions-${count}-390-light`);
      await phone.context.close();
    }
  });
});
