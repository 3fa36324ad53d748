import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { colourFindings, seriousFindings } from './support/axe.ts';
import type { Visit, VisitOptions } from './support/browser.ts';
import { POLL, rowOf } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

browserSuite('the dashboard with a screen reader or keyboard only', {}, (suite) => {
  const { c } = suite;
  let asking = '';
  let changed = '';
  let boardId = '';
  beforeAll(async () => {
    const delegate = (prompt: string, title: string) =>
      c.client.call('delegations.create', { repositoryId: c.repository.id, prompt, title });
    asking = (await delegate('@ask Shall I?', 'asking')).sessionId;
    changed = (await delegate('@write notes.txt one two\n@report succeeded Done.', 'changed')).sessionId;
    await delegate('@report failed It broke.', 'broken');
    boardId = (await c.client.call('boards.create', { name: 'Release', zones: ['Next', 'Done'] })).id;
    await c.until('the questions and ends', async () => {
      const { data } = await c.client.call('sessions.list', {});
      return data.every(({ task }) => task?.endedAt != null || task?.waitingFor === 'answer');
    });
  });

  async function open(options: VisitOptions & { path?: string } = {}): Promise<Visit> {
    const visited = await suite.open(options);
    // Waits for the end of the login, which navigating would interrupt.
    await visited.page.getByRole('navigation', { name: 'Main' }).waitFor();
    return visited;
  }

  /** Paths of pages, each with the selector of an element that appears once the page has loaded. */
  const pages = (): [path: string, content: string][] => [
    ['/sessions', '[role=treeitem]'],
    ['/inbox', 'article'],
    [`/sessions/${asking}`, '[data-answer]'],
    [`/sessions/${changed}?view=diff`, '.diff'],
    [`/sessions/${changed}?view=conversation`, 'text=Done'],
    [`/sessions/${changed}?view=events`, 'time'],
    ['/terminals', '.xterm'],
    ['/boards', '[data-card]'],
    ['/boards?view=list', 'article'],
    [`/boards/${boardId}`, 'text=Next'],
    ['/search?q=Shall', 'mark'],
    ['/runs', 'h1'],
    ['/repositories', 'text=shop'],
    [`/repositories/${c.repository.id}`, 'li'],
    ['/settings/agents', 'li'],
    ['/settings/events', 'time'],
  ];

  // Opens each page once and resizes it for the other widths, because resizing takes less time than opening the page
  // again.
  it.each([{ widths: [1440, 1024] }, { widths: [390] }])(
    'has one main landmark, one first-level heading, and accessible names and colours on every page (widths $widths)',
    async ({ widths }) => {
      const found: Record<string, unknown> = {};
      const { page } = await open({ width: widths[0] ?? 0, height: 844 });
      for (const [path, content] of pages()) {
        for (const width of widths) {
          await page.setViewportSize({ width, height: 844 });
          if (width === widths[0]) {
            await page.goto(`${c.baseUrl}${path}`);
            await page.getByRole('link', { name: /^Inbox \d+ waiting$/ }).waitFor();
            await page.locator(content).first().waitFor({ state: 'attached' });
          }
          const parts = async () => ({ main: await shown(page, 'main'), h1: await shown(page, 'h1') });
          await expect
            .poll(parts, { ...POLL, timeout: 5_000 })
            .toEqual({ main: 1, h1: 1 })
            .catch(async () => {
              found[`parts of ${path} at ${width}`] = await parts();
            });
          const other = await otherNames(page);
          if (other.length > 0) found[`names of ${path} at ${width}`] = other;
          const small = width < 700 ? await smallControls(page) : [];
          if (small.length > 0) found[`small controls of ${path}`] = small;
          await page.emulateMedia({ colorScheme: 'light' });
          const light = await seriousFindings(page);
          if (light.length > 0) found[`light ${path} at ${width}`] = light;
          if (width !== widths[0]) continue;
          await page.emulateMedia({ colorScheme: 'dark' });
          const dark = await colourFindings(page);
          if (dark.length > 0) found[`dark ${path} at ${width}`] = dark;
        }
      }
      expect(found).toEqual({});
    },
  );

  it('names a session by title, status, age and agent', async () => {
    const { page } = await open({ path: '/sessions' });
    const row = rowOf(page, 'broken');
    await row.waitFor();
    expect(await row.evaluate((element) => element.ariaLabel)).toBeNull();
    await page.getByRole('treeitem', { name: /^broken, failed .*scripted/ }).waitFor();
    await page.getByRole('treeitem', { name: /^asking, asks .*scripted/ }).waitFor();
  });

  it('focuses the first field of a dialog, or Cancel in a destructive one', async () => {
    const { page } = await open({ path: `/repositories/${c.repository.id}` });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.ariaLabel ?? labelOf(document.activeElement));
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noExplicitAny: for the function above
      (window as any).labelOf = (element: Element | null) =>
        element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
          ? element.labels?.[0]?.textContent
          : element?.textContent;
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('start ses');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New session' }).waitFor();
    await expect.poll(focused, POLL).toBe('First prompt');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: /^Actions for / })
      .last()
      .click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('dialog').getByText('The branch is kept').waitFor();
    await expect.poll(focused, POLL).toBe('Cancel');
  });

  it('announces a toast once, also while a dialog is open', async () => {
    const { page } = await open({ path: '/sessions' });
    const session = await page.context().newCDPSession(page);
    const tree = async () => (await session.send('Accessibility.getFullAXTree')).nodes;
    const before = await tree();
    await page.keyboard.press('c');
    await page.getByRole('dialog').getByLabel('Prompt').fill('Do it.');
    await page.keyboard.press('Control+k');
    const title = 'Searching would drop what you entered';
    await page.getByText(title).waitFor();
    const nodes = await tree();
    const around: typeof nodes = [];
    let node = nodes.find(({ name }) => name?.value === title);
    while (node !== undefined) {
      around.push(node);
      const { parentId } = node;
      node = nodes.find(({ nodeId }) => nodeId === parentId);
    }
    const live = around.filter(isLiveRegion);
    expect(live).toHaveLength(1);
    // Screen readers announce a change only if the live region existed before the change.
    expect(before.filter(isLiveRegion).map(({ nodeId }) => nodeId)).toContain(live[0]?.nodeId);
  });

  it('says how to comment with the keys in force, and that no line was found if all files are collapsed', async () => {
    const { page } = await open({ path: `/sessions/${changed}?view=diff` });
    const line = page.locator('.diff').getByText('one two').first();
    await line.waitFor();
    const keys = JSON.stringify({ 'comment-on-the-selected-lines': 'y' });
    await page.evaluate((stored) => localStorage.setItem('agent-console.keys', stored), keys);
    await page.reload();
    await line.waitFor();
    const file = page.locator('.diff').getByRole('button', { name: /notes\.txt/ });
    await file.and(page.locator('[aria-expanded=true]')).click();
    await line.waitFor({ state: 'detached' });
    await page.keyboard.press('y');
    await page.getByText('No line was selected').waitFor();
    expect(await page.getByText('Line selected').count()).toBe(0);
    await file.and(page.locator('[aria-expanded=false]')).click();
    await line.waitFor();
    await page.keyboard.press('y');
    await page.getByText('press y to comment').waitFor();
  });

  it('returns the focus to the diff when its comments are sent', async () => {
    const { page } = await open({ path: `/sessions/${changed}?view=diff` });
    await page.locator('.diff').getByText('one two').first().waitFor();
    await page.keyboard.press(']');
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: /notes\.txt/ }).waitFor();
    await page.keyboard.type('@say Understood.');
    await page.keyboard.press('Control+Enter');
    // Editing one comment keeps the unfinished text of another comment.
    await page.keyboard.press(']');
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: /notes\.txt/ }).fill('@say Unfinished.');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByText('@say Unfinished.', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: /notes\.txt/ }).press('Control+Enter');
    const send = page.getByRole('button', { name: 'Send 2 comments' });
    await send.focus();
    await page.keyboard.press('Enter');
    await send.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('.diff') != null), POLL).toBe(true);
  });
});

/**
 * Whether a node is a live region, whose changes screen readers announce. A node with the property `root` is inside
 * such a region.
 */
function isLiveRegion({
  ignored,
  properties = [],
}: {
  ignored: boolean;
  properties?: readonly { name: string }[];
}): boolean {
  const has = (property: string) => properties.some(({ name }) => name === property);
  return !ignored && has('live') && !has('root');
}

declare function labelOf(element: Element | null): string | null | undefined;

function shown(page: Page, selector: string): Promise<number> {
  return page
    .locator(selector)
    .evaluateAll((elements) => elements.filter((element) => element.checkVisibility()).length);
}

/**
 * Returns the controls whose accessible name does not contain their visible text. Users of voice control say that text.
 */
function otherNames(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const words = (text: string) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim();
    // biome-ignore-start lint/performance/useDomNodeTextContent: only visible text counts
    const controls = 'a[href],button,summary,[role="treeitem"],[role="tab"],[role="option"],[role="menuitem"]';
    return [...document.querySelectorAll<HTMLElement>(controls)].flatMap((element) => {
      const { ariaLabel } = element;
      const written = words(element.innerText);
      if (ariaLabel === null || written === '' || words(ariaLabel).includes(written)) return [];
      // biome-ignore-end lint/performance/useDomNodeTextContent: only visible text counts
      return [`“${ariaLabel}” is labelled “${written}”`];
    });
  });
}

/** Minimum width and height in pixels of what a finger is to hit. */
const FINGER_PX = 40;
/**
 * Minimum height in pixels of the line numbers of a diff, which is that of WCAG 2.5.8. With larger numbers, too few
 * lines of code would be visible.
 */
const LINE_NUMBER_PX = 24;

/**
 * Returns the visible buttons and links that are too small for a finger. Links inside a text are exempt. The size of a
 * link that extends over its card is that of the card.
 */
function smallControls(page: Page): Promise<string[]> {
  const sizes = { finger: FINGER_PX, lineNumber: LINE_NUMBER_PX };
  return page.locator('a[href],button,summary,[role="tab"]').evaluateAll(
    (controls, { finger, lineNumber }) =>
      controls.flatMap((control) => {
        const isOverCard = getComputedStyle(control, '::after').position === 'absolute';
        const card = isOverCard && control instanceof HTMLElement ? control.offsetParent : null;
        const { width, height } = (card ?? control).getBoundingClientRect();
        const isShown = control.checkVisibility({ visibilityProperty: true }) && width > 1;
        const minimum = control.classList.contains('diff-number') ? lineNumber : finger;
        if (!isShown || getComputedStyle(control).display === 'inline') return [];
        if (width >= finger && height >= minimum) return [];
        return [`${control.ariaLabel ?? control.textContent}: ${width} x ${height}`];
      }),
    sizes,
  );
}
