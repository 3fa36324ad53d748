import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { POLL, screenText, untilPrompt, untilScreen } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

/** Reverses the display of the text up to `POP`, so that a shown command could differ from the one that runs. */
const OVERRIDE = '\u202e';
const POP = '\u202c';
const ARABIC = 'إصلاح صفحة الدخول وإعادة تسمية كل الحقول في النماذج القديمة كلها';

browserSuite('untrusted text in the dashboard', {}, ({ c, open }) => {
  const delegate = (prompt: string, title: string) =>
    c.client.call('delegations.create', { repositoryId: c.repository.id, prompt, title });

  const ended = (sessionId: string) =>
    c.until('the end', async () => (await c.client.call('sessions.get', { sessionId })).task?.endedAt != null);

  it('shows a command with bidi controls as it runs, in every view of its question', async () => {
    const made = await delegate(`@permission Bash echo safe ${OVERRIDE}fr- mr${POP} ; true`, `turn ${OVERRIDE}dnuor`);
    await c.until('a question', async () => {
      const { data } = await c.client.call('approvals.list', { sessionId: made.sessionId });
      return data[0];
    });
    const asked = 'echo safe U+202Efr- mrU+202C ; true';
    const { page, screenshot } = await open({ path: '/inbox' });
    await page.getByRole('article').getByText(asked).waitFor();
    expect(await hiddenTexts(page)).toEqual([]);
    await screenshot('untrusted-inbox');
    await page.goto(`${c.baseUrl}/sessions/${made.sessionId}?view=events`);
    const panel = page.getByRole('region', { name: 'Question from the agent' });
    await panel.getByText(asked).waitFor();
    await screenshot('untrusted-session');
    await panel.getByRole('button', { name: 'Collapse' }).click();
    await page.getByText('Agent asked: Allow Bash: echo safe ‹U+202E›fr- mr‹U+202C› ; true').waitFor();
    await page.getByRole('treeitem', { name: /^turn ‹U\+202E›dnuor/ }).waitFor();
    expect(await hiddenTexts(page)).toEqual([]);
  });

  it('shows terminal output in printed order', async () => {
    const session = await c.client.call('sessions.create', { cwd: c.folder, title: 'shell' });
    const { id } = await c.client.call('workers.create', { sessionId: session.id, type: 'terminal' });
    const { page, screenshot } = await open({ path: `/sessions/${session.id}` });
    await untilPrompt(page);
    const data = "clear; printf 'safe \\342\\200\\256fr- mr\\342\\200\\254 over\\n'\r";
    await c.client.call('workers.input', { workerId: id, data });
    await untilScreen(page, ' over\n');
    await screenshot('untrusted-terminal');
    expect(await screenText(page)).toMatch(/^safe \u200b?fr- mr\u200b? over$/m);
  });

  it('shows hidden characters of titles, reports and notes in every view of a session', async () => {
    const made = await delegate(
      `@say a ${OVERRIDE}note\n@report succeeded all ${OVERRIDE}enod`,
      `hidden\u200b ${OVERRIDE}title`,
    );
    await ended(made.sessionId);
    const { page, screenshot } = await open({ path: `/sessions/${made.sessionId}?view=conversation` });
    await page.getByRole('article').getByText('all U+202Eenod').first().waitFor();
    expect(await hiddenTexts(page)).toEqual([]);
    await screenshot('untrusted-conversation');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByPlaceholder(/./).fill('hidden');
    await page
      .getByRole('option', { name: /hidden/ })
      .first()
      .waitFor();
    expect(await hiddenTexts(page)).toEqual([]);
    await page.goto(`${c.baseUrl}/repositories/${c.repository.id}`);
    await page.getByRole('link', { name: /hidden/ }).waitFor();
    expect(await hiddenTexts(page)).toEqual([]);
    await page.goto(`${c.baseUrl}/sessions/${made.sessionId}?view=diff`);
    await page.getByRole('heading', { name: /hidden/ }).waitFor();
    expect(await hiddenTexts(page)).toEqual([]);
  });

  it('truncates a long right-to-left title at its end', async () => {
    const { sessionId } = await delegate('@report succeeded تم', ARABIC);
    await ended(sessionId);
    const viewports = [
      { width: 1440, height: 900 },
      { width: 1024, height: 700, dark: true },
      { width: 390, height: 844 },
    ];
    for (const viewport of viewports) {
      const { page, screenshot } = await open({ ...viewport, path: `/sessions/${sessionId}?view=events` });
      const heading = page.getByRole('heading', { name: ARABIC });
      await heading.waitFor();
      await screenshot(`untrusted-rtl-${viewport.width}`);
      expect(await showsFirst(heading)).toBe(true);
      const event = page.getByText(/^Work on the prompt completed/);
      expect((await event.boundingBox())?.width).toBeGreaterThan(150);
      if (viewport.width < 700) await page.goto(`${c.baseUrl}/sessions`);
      else if (viewport.width < 1150) await page.getByRole('button', { name: 'Show session list' }).click();
      const row = page.getByRole('treeitem', { name: ARABIC });
      await row.waitFor();
      expect(await showsFirst(row.locator('bdi').first())).toBe(true);
      await screenshot(`untrusted-rtl-tree-${viewport.width}`);
    }
  });
});

/** Returns the texts and attributes of the page that contain hidden characters. */
function hiddenTexts(page: Page): Promise<string[]> {
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

/** Whether the first letter of a truncated text is visible. */
async function showsFirst(box: Locator): Promise<boolean> {
  await expect.poll(() => box.count(), POLL).toBe(1);
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
