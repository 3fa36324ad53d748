import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { findChromium, type Look, launch, type Visit, visitConsole } from './support/browser.ts';
import { PATIENCE, screenText, untilPrompt, untilScreen } from './support/page.ts';

const chromium = findChromium();
if (chromium === undefined) console.warn('SKIPPED: text of others in a browser, for there is no chromium on the PATH.');

/** Turns round what follows until `POP`: a person would read another command than the one that runs. */
const TURN = '\u202e';
const POP = '\u202c';
const ARABIC = 'إصلاح صفحة الدخول وإعادة تسمية كل الحقول في النماذج القديمة كلها';

describe.skipIf(chromium === undefined)('text of others in the dashboard', () => {
  let browser: Browser;
  let c: TestConsole;
  let visits: Visit[] = [];
  beforeAll(async () => {
    browser = await launch(chromium ?? '');
    c = await startConsole();
    await c.client.call('settings.update', { defaultAgentId: 'scripted' });
  });
  afterAll(async () => {
    await browser.close();
    await c.close();
  });
  afterEach(async () => {
    for (const { context, problems } of visits) {
      await context.close();
      expect(problems).toEqual([]);
    }
    visits = [];
  });

  async function open(look: Look & { path?: string }): Promise<Visit> {
    const visited = await visitConsole(browser, c, look);
    visits.push(visited);
    return visited;
  }

  const delegate = (prompt: string, title: string) =>
    c.client.call('delegations.create', { repositoryId: c.repository.id, prompt, title });

  const ended = (sessionId: string) =>
    c.until('the end', async () => (await c.client.call('sessions.get', { sessionId })).task?.endedAt != null);

  it('shows a command that turns itself round as it runs, wherever it is asked about', async () => {
    const made = await delegate(`@permission Bash echo safe ${TURN}fr- mr${POP} ; true`, `turn ${TURN}dnuor`);
    await c.until('a question', async () => {
      const { data } = await c.client.call('approvals.list', { sessionId: made.sessionId });
      return data[0];
    });
    const asked = 'echo safe U+202Efr- mrU+202C ; true';
    for (const dark of [false, true]) {
      const { page, picture } = await open({ path: '/inbox', dark });
      await page.getByRole('article').getByText(asked).waitFor();
      expect(await turned(page)).toEqual([]);
      await picture(`given-inbox-${dark ? 'dark' : 'light'}`);
      await page.goto(`${c.baseUrl}/sessions/${made.sessionId}?view=events`);
      const panel = page.getByRole('region', { name: 'The agent asks' });
      await panel.getByText(asked).waitFor();
      await picture(`given-session-${dark ? 'dark' : 'light'}`);
      await panel.getByRole('button', { name: 'Fold' }).click();
      await page.getByText('The agent asks: Allow Bash: echo safe ‹U+202E›fr- mr‹U+202C› ; true').waitFor();
      await page.getByRole('treeitem', { name: /^turn ‹U\+202E›dnuor/ }).waitFor();
      expect(await turned(page)).toEqual([]);
    }
  });

  it('shows what programs print in the order in which they print it', async () => {
    const session = await c.client.call('sessions.create', { cwd: c.folder, title: 'shell' });
    const { id } = await c.client.call('workers.create', { sessionId: session.id, type: 'terminal' });
    const { page, picture } = await open({ path: `/sessions/${session.id}` });
    await untilPrompt(page);
    const data = "clear; printf 'safe \\342\\200\\256fr- mr\\342\\200\\254 over\\n'\r";
    await c.client.call('workers.input', { workerId: id, data });
    await untilScreen(page, ' over\n');
    await picture('given-terminal');
    expect(await screenText(page)).toMatch(/^safe \u200b?fr- mr\u200b? over$/m);
  });

  it('shows titles, reports and notes with their hidden characters in every view of a session', async () => {
    const made = await delegate(`@say a ${TURN}note\n@report succeeded all ${TURN}enod`, `hidden\u200b ${TURN}title`);
    await ended(made.sessionId);
    const { page, picture } = await open({ path: `/sessions/${made.sessionId}?view=conversation` });
    await page.getByRole('article').getByText('all U+202Eenod').first().waitFor();
    expect(await turned(page)).toEqual([]);
    await picture('given-conversation');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByPlaceholder(/./).fill('hidden');
    await page
      .getByRole('option', { name: /hidden/ })
      .first()
      .waitFor();
    expect(await turned(page)).toEqual([]);
    await page.goto(`${c.baseUrl}/repositories/${c.repository.id}`);
    await page.getByRole('link', { name: /hidden/ }).waitFor();
    expect(await turned(page)).toEqual([]);
    await page.goto(`${c.baseUrl}/sessions/${made.sessionId}?view=diff`);
    await page.getByRole('heading', { name: /hidden/ }).waitFor();
    expect(await turned(page)).toEqual([]);
  });

  it('keeps the beginning of a long title that is written from right to left', async () => {
    const { sessionId } = await delegate('@report succeeded تم', ARABIC);
    await ended(sessionId);
    const looks = [
      { width: 1440, height: 900 },
      { width: 1024, height: 700, dark: true },
      { width: 390, height: 844 },
    ];
    for (const look of looks) {
      const { page, picture } = await open({ ...look, path: `/sessions/${sessionId}?view=events` });
      const heading = page.getByRole('heading', { name: ARABIC });
      await heading.waitFor();
      await picture(`given-rtl-${look.width}`);
      expect(await showsFirst(heading)).toBe(true);
      const event = page.getByText(/^The prompt is done/);
      expect((await event.boundingBox())?.width).toBeGreaterThan(150);
      if (look.width < 700) await page.goto(`${c.baseUrl}/sessions`);
      const row = page.getByRole('treeitem', { name: ARABIC });
      await row.waitFor();
      expect(await showsFirst(row.locator('bdi'))).toBe(true);
      await picture(`given-rtl-tree-${look.width}`);
    }
  });
});

/** What the page says with characters that are not seen or reorder others: its texts, and what is told on hovering. */
function turned(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const hidden = /[\u200b\u202a-\u202e]/;
    const found: string[] = [];
    for (const element of document.querySelectorAll('body *:not(.xterm *)')) {
      for (const { name, value } of element.attributes) if (hidden.test(value)) found.push(`${name}=${value}`);
      for (const node of element.childNodes) {
        if (node.nodeType === Node.TEXT_NODE && hidden.test(node.nodeValue ?? '')) found.push(node.nodeValue ?? '');
      }
    }
    return found;
  });
}

/** Whether the first letter is inside of the box that cuts the text off. */
async function showsFirst(box: Locator): Promise<boolean> {
  await expect.poll(() => box.count(), PATIENCE).toBe(1);
  return box.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const node = walker.nextNode();
    if (node === null) return false;
    const range = document.createRange();
    range.setStart(node, 0);
    range.setEnd(node, 1);
    const letter = range.getBoundingClientRect();
    const { left, right } = element.getBoundingClientRect();
    return letter.left >= left - 1 && letter.right <= right + 1;
  });
}
