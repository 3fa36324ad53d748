import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { transcriptOf } from '../e2e/support/root.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { findChromium, type Look, launch, type Visit, visitConsole } from './support/browser.ts';
import { PATIENCE, screenText, terminalOf, untilScreen } from './support/page.ts';

const chromium = findChromium();
if (chromium === undefined) console.warn('SKIPPED: approvals in a browser, because there is no chromium on the PATH.');

const COMMAND = 'npm run build -- --mode production && rsync -a dist/ deploy@www.example.com:/srv/shop/';

describe.skipIf(chromium === undefined)('a question of an agent in the dashboard', () => {
  let browser: Browser;
  let c: TestConsole;
  let visits: Visit[] = [];
  beforeAll(async () => {
    browser = await launch(chromium ?? '');
    c = await startConsole();
  });
  afterAll(async () => {
    await browser.close();
    await c.close();
  });
  afterEach(async () => {
    for (const { context, problems } of visits) {
      await context.close();
      // Chromium logs every answer that is an error; a conflict is one of them.
      expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
    }
    visits = [];
  });

  async function open(look: Look & { path?: string }): Promise<Visit> {
    const visited = await visitConsole(browser, c, look);
    visits.push(visited);
    return visited;
  }

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

  it('is allowed with one press in the inbox, and goes from there', async () => {
    const { sessionId, approvalId } = await asking('build', `@permission Bash ${COMMAND}\n@report succeeded Built.`);
    const { page, picture } = await open({ path: '/inbox' });
    const row = page.getByRole('article', { name: 'build asks' });
    await row.getByText(COMMAND).waitFor();
    await picture('approval-inbox-light');
    await row.getByRole('button', { name: 'Yes', exact: true }).click();
    await row.getByRole('button', { name: 'Yes', exact: true }).waitFor({ state: 'detached' });
    expect(await stateOf(approvalId)).toBe('answered');
    await c.until('the report', async () => (await c.client.call('sessions.get', { sessionId })).task?.endedAt != null);
  });

  it('is refused by keys alone, on the page of its session', async () => {
    const { sessionId, approvalId } = await asking('clean', '@permission Bash rm -rf build\n@say went on');
    const { page, picture } = await open({ path: `/sessions/${sessionId}`, dark: true });
    const panel = page.getByRole('region', { name: 'The agent asks' });
    await panel.getByText('rm -rf build').waitFor();
    await picture('approval-session-dark');
    // Keys are taken once the question stood there for a moment.
    await panel.getByRole('button', { name: 'No', exact: true }).click({ trial: true });
    await page.keyboard.press('a');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Yes');
    await page.keyboard.press('n');
    await panel.waitFor({ state: 'detached' });
    expect(await stateOf(approvalId)).toBe('answered');
    await c.until('its word', async () => saidLast(sessionId) === 'Bash denied');
  });

  it('is answered by the key shown on the answer, wherever the focus is on the page of its session', async () => {
    const { sessionId, approvalId } = await asking('by key', '@permission Edit a\n@say went on');
    const { page } = await open({ path: `/sessions/${sessionId}` });
    const panel = page.getByRole('region', { name: 'The agent asks' });
    const no = panel.getByRole('button', { name: 'No', exact: true });
    await no.click({ trial: true });
    const key = (await no.locator('kbd').textContent()) ?? '';
    // Not while someone writes, nor in the terminal, which types it itself.
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.click();
    await page.keyboard.press(key);
    expect(await prompt.inputValue()).toBe(key);
    expect(await stateOf(approvalId)).toBe('pending');
    await prompt.fill('');
    await page.keyboard.press('Escape');
    await page.keyboard.press(key);
    await panel.waitFor({ state: 'detached' });
    await c.until('its word', async () => saidLast(sessionId) === 'Edit denied' || saidLast(sessionId) === 'went on');
    expect(await stateOf(approvalId)).toBe('answered');
  });

  it('is answered by its key on the chosen card of the inbox, and leaves the focus there', async () => {
    const first = await asking('card one', '@permission Edit a\n@say went on');
    const second = await asking('card two', '@permission Edit b\n@say went on');
    const { page, picture } = await open({ path: '/inbox' });
    const card = page.getByRole('article', { name: 'card one asks' });
    await card.getByRole('button', { name: 'Yes', exact: true }).click({ trial: true });
    const key = (await card.getByRole('button', { name: 'Yes', exact: true }).locator('kbd').textContent()) ?? '';
    // No card is chosen yet.
    await page.keyboard.press(key);
    const chosen = page.locator(`li[data-session="${first.sessionId}"]`);
    for (let n = 0; n < 20 && !(await chosen.evaluate((row) => row === document.activeElement)); n += 1)
      await page.keyboard.press('j');
    await picture('approval-inbox-chosen');
    await page.keyboard.press(key);
    await card.getByRole('button', { name: 'Yes', exact: true }).waitFor({ state: 'detached' });
    expect(await stateOf(first.approvalId)).toBe('answered');
    expect(await stateOf(second.approvalId)).toBe('pending');
    await c.client.call('approvals.answer', { approvalId: second.approvalId, optionId: key });
  });

  it('takes the focus along when it goes', async () => {
    const { sessionId } = await asking('focus', '@permission Edit a\n@say went on');
    for (const path of [`/sessions/${sessionId}`, '/inbox']) {
      const { page } = await open({ path });
      if (path === '/inbox') await c.client.call('sessions.prompt', { sessionId, prompt: '@permission Edit b' });
      const yes = page
        .getByRole(path === '/inbox' ? 'article' : 'region', {
          name: path === '/inbox' ? 'focus asks' : 'The agent asks',
        })
        .getByRole('button', { name: 'Yes', exact: true });
      await yes.click();
      await yes.waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), PATIENCE).not.toBe('BODY');
      // Keys are still the page's: the focus is in no field.
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Delegate work').waitFor();
    }
  });

  it('stands below the terminal, which keeps its size and shows the lines that ask', async () => {
    const lines = Array.from({ length: 60 }, (_, n) => `@say line ${n + 1} of what it did`);
    const { sessionId } = await asking('long', [...lines, `@permission Bash ${COMMAND}`].join('\n'));
    const { page, picture } = await open({ path: `/sessions/${sessionId}`, height: 700 });
    const panel = page.getByRole('region', { name: 'The agent asks' });
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
    await expect.poll(isShown, PATIENCE).toBe(true);
    await picture('approval-session-terminal');
    const before = await page.locator('[title="Columns × rows"]').textContent();
    // What stands further up is reached with the wheel.
    await terminalOf(page).hover();
    await page.mouse.wheel(0, -400);
    await expect.poll(isShown, PATIENCE).toBe(false);
    await panel.getByRole('button', { name: 'Fold' }).click();
    await panel.getByText(COMMAND).first().waitFor();
    expect(await page.locator('[title="Columns × rows"]').textContent()).toBe(before);
    expect(await screenText(page)).toContain('rsync');
  });

  it('is answered once by two people who look at it', async () => {
    const { sessionId, approvalId } = await asking('twice', '@permission Edit a\n@permission Edit b');
    const looks = await Promise.all([1, 2].map(() => open({ path: `/sessions/${sessionId}` })));
    const panels = looks.map(({ page }) => page.getByRole('region', { name: 'The agent asks' }));
    for (const panel of panels) await panel.getByText('Allow Edit: a').waitFor();
    // Whoever comes when the next question stands there must not answer that one.
    const first = panels.map((panel) => panel.filter({ hasText: 'Allow Edit: a' }));
    const presses = first.map((panel) =>
      panel.getByRole('button', { name: 'Yes', exact: true }).click({ timeout: 5_000 }),
    );
    expect((await Promise.allSettled(presses)).map(({ status }) => status)).toContain('fulfilled');
    for (const panel of panels) await panel.getByText('Allow Edit: b').waitFor();
    expect(await stateOf(approvalId)).toBe('answered');
    await c.until('the second question', async () => saidLast(sessionId)?.includes('Allow Edit: b'));
  });

  it('takes no press that was meant for the question before', async () => {
    const { sessionId, approvalId } = await asking('hasty', '@permission Edit a\n@permission Edit b');
    const { page } = await open({ path: `/sessions/${sessionId}` });
    await page.getByRole('region', { name: 'The agent asks' }).getByText('Allow Edit: a').waitFor();
    await page.getByRole('button', { name: 'Yes', exact: true }).click({ trial: true });
    // Presses in the very moment in which the next question is drawn, as a hasty double press does.
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
    await c.until('its word', async () => saidLast(sessionId) === 'Edit denied');
  });

  it('says that it is answered already to whoever comes too late', async () => {
    const { sessionId, approvalId } = await asking('late', '@permission Edit a\n@permission Edit b');
    const { page } = await open({ path: `/sessions/${sessionId}` });
    const panel = page.getByRole('region', { name: 'The agent asks' });
    await panel.getByText('Allow Edit: a').waitFor();
    // The answer of somebody else is on its way while this one is pressed.
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

  it('fits a phone, where each answer is as wide as a thumb needs', async () => {
    const { sessionId } = await asking('phone', `@permission Bash ${COMMAND}`);
    for (const dark of [false, true]) {
      for (const [name, path] of Object.entries({ inbox: '/inbox', session: `/sessions/${sessionId}` })) {
        const { page, picture } = await open({ path, width: 390, height: 844, dark });
        const yes = page.getByRole('button', { name: 'Yes', exact: true }).last();
        await yes.waitFor();
        const { x = 0, width = 0, height } = (await yes.boundingBox()) ?? {};
        expect(height).toBeGreaterThanOrEqual(44);
        expect(x + width).toBeLessThanOrEqual(390);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
        await picture(`approval-${name}-phone-${dark ? 'dark' : 'light'}`);
      }
    }
  });
});
