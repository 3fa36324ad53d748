import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { transcriptOf } from '../e2e/support/root.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { findChromium, type Look, launch, type Visit, visitConsole } from './support/browser.ts';

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
