import { expect, it } from 'vitest';
import { transcriptOf } from '../e2e/support/root.ts';
import { POLL, screenText, terminalOf, untilScreen } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

const COMMAND = 'npm run build -- --mode production && rsync -a dist/ deploy@www.example.com:/srv/shop/';

// Chromium logs every error response, including the conflicts that the tests expect.
browserSuite("an agent's question in the dashboard", { allowed: /409/ }, ({ c, open }) => {
  async function asking(title: string, prompt: string) {
    const made = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt,
      title,
    });
    const { id } = await c.until('a question', async () => {
      const { data } = await c.client.call('approvals.list', { sessionId: made.sessionId });
      return data[0];
    });
    return { ...made, approvalId: id };
  }

  const saidLast = (sessionId: string) => transcriptOf(c, sessionId).findLast(({ role }) => role === 'agent')?.text;
  const stateOf = async (approvalId: string) => (await c.client.call('approvals.get', { approvalId })).state;

  it('is allowed with one click in the inbox, and disappears', async () => {
    const { sessionId, approvalId } = await asking('build', `@permission Bash ${COMMAND}\n@report succeeded Built.`);
    const { page, screenshot } = await open({ path: '/inbox' });
    const row = page.getByRole('article', { name: 'build asks' });
    await row.getByText(COMMAND).waitFor();
    await screenshot('approval-inbox-light');
    await row.getByRole('button', { name: 'Yes', exact: true }).click();
    await row.getByRole('button', { name: 'Yes', exact: true }).waitFor({ state: 'detached' });
    expect(await stateOf(approvalId)).toBe('answered');
    await c.until('the report', async () => (await c.client.call('sessions.get', { sessionId })).task?.endedAt != null);
  });

  it("is denied by keyboard alone, on its session's page", async () => {
    const { sessionId, approvalId } = await asking('clean', '@permission Bash rm -rf build\n@say continued');
    const { page, screenshot } = await open({ path: `/sessions/${sessionId}`, dark: true });
    const panel = page.getByRole('region', { name: 'Question from the agent' });
    await panel.getByText('rm -rf build').waitFor();
    await screenshot('approval-session-dark');
    // The page accepts keys for an answer only after it has shown the question for a moment.
    await panel.getByRole('button', { name: 'No', exact: true }).click({ trial: true });
    await page.keyboard.press('a');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Yes');
    await page.keyboard.press('n');
    await panel.waitFor({ state: 'detached' });
    expect(await stateOf(approvalId)).toBe('answered');
    await c.until('its reply', async () => saidLast(sessionId) === 'Bash denied');
  });

  it("is answered by the key shown on the answer, wherever the focus is on its session's page", async () => {
    const { sessionId, approvalId } = await asking('by key', '@permission Edit a\n@say continued');
    const { page } = await open({ path: `/sessions/${sessionId}` });
    const panel = page.getByRole('region', { name: 'Question from the agent' });
    const no = panel.getByRole('button', { name: 'No', exact: true });
    await no.click({ trial: true });
    const key = (await no.locator('kbd').textContent()) ?? '';
    // While a text field or the terminal has the focus, the key does not answer the question.
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.click();
    await page.keyboard.press(key);
    expect(await prompt.inputValue()).toBe(key);
    expect(await stateOf(approvalId)).toBe('pending');
    await prompt.fill('');
    await page.keyboard.press('Escape');
    await page.keyboard.press(key);
    await panel.waitFor({ state: 'detached' });
    await c.until(
      'its reply',
      async () => saidLast(sessionId) === 'Edit denied' || saidLast(sessionId) === 'continued',
    );
    expect(await stateOf(approvalId)).toBe('answered');
  });

  it('is answered by its key on the selected card of the inbox, and keeps the focus there', async () => {
    const first = await asking('card one', '@permission Edit a\n@say continued');
    const second = await asking('card two', '@permission Edit b\n@say continued');
    const { page, screenshot } = await open({ path: '/inbox' });
    const card = page.getByRole('article', { name: 'card one asks' });
    await card.getByRole('button', { name: 'Yes', exact: true }).click({ trial: true });
    const { options } = await c.client.call('approvals.get', { approvalId: first.approvalId });
    const key = options[0]?.id ?? '';
    // No card is selected yet, so no card shows the keys of its answers, and the keys do nothing.
    expect(await card.locator('kbd').count()).toBe(0);
    await page.keyboard.press(key);
    const chosen = page.locator(`li[data-session="${first.sessionId}"]`);
    for (let n = 0; n < 20 && !(await chosen.evaluate((row) => row === document.activeElement)); n += 1)
      await page.keyboard.press('j');
    await screenshot('approval-inbox-chosen');
    expect(await card.locator('kbd').first().textContent()).toBe(key);
    await page.keyboard.press(key);
    await card.getByRole('button', { name: 'Yes', exact: true }).waitFor({ state: 'detached' });
    expect(await stateOf(first.approvalId)).toBe('answered');
    expect(await stateOf(second.approvalId)).toBe('pending');
    await c.client.call('approvals.answer', { approvalId: second.approvalId, optionId: key });
  });

  it('moves the focus when it disappears', async () => {
    const { sessionId } = await asking('focus', '@permission Edit a\n@say continued');
    for (const path of [`/sessions/${sessionId}`, '/inbox']) {
      // An open inbox shows new items only on request, so the question must exist before the page opens.
      if (path === '/inbox') {
        await c.client.call('sessions.prompt', { sessionId, prompt: '@permission Edit b' });
        await c.until('the second question', async () => {
          const { data } = await c.client.call('approvals.list', { sessionId });
          return data.length > 0;
        });
      }
      const { page } = await open({ path });
      const yes = page
        .getByRole(path === '/inbox' ? 'article' : 'region', {
          name: path === '/inbox' ? 'focus asks' : 'Question from the agent',
        })
        .getByRole('button', { name: 'Yes', exact: true });
      await yes.click();
      await yes.waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), POLL).not.toBe('BODY');
      // No field has the focus, so the shortcuts of the page still work.
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Delegate work', { exact: true }).waitFor();
    }
  });

  it('appears below the terminal, which keeps its size and shows the question', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `@say line ${n + 1} of what it did`);
    const { sessionId } = await asking('long', [...lines, `@permission Bash ${COMMAND}`].join('\n'));
    const { page, screenshot } = await open({ path: `/sessions/${sessionId}`, height: 700 });
    const panel = page.getByRole('region', { name: 'Question from the agent' });
    await panel.getByText(COMMAND).waitFor();
    await untilScreen(page, 'line 60 of what it did');
    const asksLast = terminalOf(page).locator('.xterm-rows > div').filter({ hasText: 'rsync' }).last();
    await asksLast.waitFor();
    const isShown = async () => {
      const [line, bar, work] = await Promise.all([
        asksLast.boundingBox(),
        panel.boundingBox(),
        page.locator('[data-view="terminal"]').boundingBox(),
      ]);
      if (line === null || bar === null || work === null) return undefined;
      return work.y + work.height <= bar.y + 1 && line.y >= work.y && line.y + line.height <= bar.y;
    };
    await expect.poll(isShown, POLL).toBe(true);
    await screenshot('approval-session-terminal');
    const before = await page.locator('[title="Columns × rows"]').textContent();
    await terminalOf(page).hover();
    await page.mouse.wheel(0, -400);
    await expect.poll(isShown, POLL).toBe(false);
    await panel.getByRole('button', { name: 'Collapse' }).click();
    await panel.getByText(COMMAND).first().waitFor();
    expect(await page.locator('[title="Columns × rows"]').textContent()).toBe(before);
    expect(await screenText(page)).toContain('rsync');
  });

  it('is answered once by two viewers', async () => {
    const { sessionId, approvalId } = await asking('twice', '@permission Edit a\n@permission Edit b');
    const viewers = await Promise.all([1, 2].map(() => open({ path: `/sessions/${sessionId}` })));
    const panels = viewers.map(({ page }) => page.getByRole('region', { name: 'Question from the agent' }));
    for (const panel of panels) await panel.getByText('Allow Edit: a').waitFor();
    // A click that arrives after the first question was answered must not answer the second question.
    const first = panels.map((panel) => panel.filter({ hasText: 'Allow Edit: a' }));
    const presses = first.map((panel) =>
      panel.getByRole('button', { name: 'Yes', exact: true }).click({ timeout: 5_000 }),
    );
    expect((await Promise.allSettled(presses)).map(({ status }) => status)).toContain('fulfilled');
    for (const panel of panels) await panel.getByText('Allow Edit: b').waitFor();
    expect(await stateOf(approvalId)).toBe('answered');
    await c.until('the second question', async () => saidLast(sessionId)?.includes('Allow Edit: b'));
  });

  it('ignores a click that was meant for the previous question', async () => {
    const { sessionId, approvalId } = await asking('hasty', '@permission Edit a\n@permission Edit b');
    const { page } = await open({ path: `/sessions/${sessionId}` });
    await page.getByRole('region', { name: 'Question from the agent' }).getByText('Allow Edit: a').waitFor();
    await page.getByRole('button', { name: 'Yes', exact: true }).click({ trial: true });
    // Simulates a double click: clicks again at the moment the next question is rendered.
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        if (!document.body.textContent?.includes('Allow Edit: b')) return;
        observer.disconnect();
        document.querySelector<HTMLButtonElement>('button[data-answer]')?.click();
        document.body.dataset.pressed = 'yes';
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.locator('body[data-pressed]').waitFor();
    await c.until('the answer', async () => (await stateOf(approvalId)) === 'answered');
    const next = page.getByRole('button', { name: 'No', exact: true });
    await next.click();
    await c.until('its reply', async () => saidLast(sessionId) === 'Edit denied');
  });

  it('does not become the answer to the next question if another viewer answers first', async () => {
    const { sessionId, approvalId } = await asking('late', '@permission Edit a\n@permission Edit b');
    const { page } = await open({ path: `/sessions/${sessionId}` });
    const panel = page.getByRole('region', { name: 'Question from the agent' });
    await panel.getByText('Allow Edit: a').waitFor();
    // The answer of another viewer reaches the server before the answer of this page.
    let others: Promise<unknown> | undefined;
    await page.route('**/api/approvals/*', async (route) => {
      others ??= c.client.call('approvals.answer', { approvalId, optionId: '1' });
      await others;
      await route.continue();
    });
    const seen = page.waitForResponse((answer) => answer.status() === 409);
    await panel.getByRole('button', { name: 'No', exact: true }).click();
    await seen;
    await panel.getByText('Allow Edit: b').waitFor();
    expect(saidLast(sessionId)).toContain('Allow Edit: b');
  });

  it('fits a phone, with large touch targets', async () => {
    const { sessionId } = await asking('phone', `@permission Bash ${COMMAND}`);
    for (const [name, path] of Object.entries({ inbox: '/inbox', session: `/sessions/${sessionId}` })) {
      const { page, screenshot } = await open({ path, width: 390, height: 844 });
      const yes = page.getByRole('button', { name: 'Yes', exact: true }).last();
      await yes.waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const { x = 0, width = 0, height } = (await yes.boundingBox()) ?? {};
        expect(height).toBeGreaterThanOrEqual(44);
        expect(x + width).toBeLessThanOrEqual(390);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
        await screenshot(`approval-${name}-phone-${colorScheme}`);
      }
    }
  });
});
