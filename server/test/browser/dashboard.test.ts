import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { killServer } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { findChromium, launch, loginLink, trackVisits, type Visit, visit, visitConsole } from './support/browser.ts';
import {
  openSession,
  POLL,
  rowOf,
  screenText,
  terminalOf,
  typeLine,
  untilPrompt,
  untilScreen,
} from './support/page.ts';

const chromium = findChromium();
if (chromium === undefined) console.warn('SKIPPED: the browser suite: no chromium on the PATH.');

describe.skipIf(chromium === undefined)('the dashboard', () => {
  let browser: Browser;
  let c: TestConsole;
  beforeAll(async () => {
    browser = await launch(chromium ?? '');
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    c = await startConsole();
    await c.client.call('settings.update', { defaultAgentId: 'scripted' });
  });
  afterEach(() => c.close());
  // After hooks run in reverse order: pages close before the console.
  const track = trackVisits();

  async function open(options: Parameters<typeof visitConsole>[2] = {}): Promise<Visit> {
    return track(await visitConsole(browser, c, options));
  }

  const delegate = (prompt: string, title: string) =>
    c.client.call('delegations.create', { repositoryId: c.repository.id, prompt, title });

  /** A shell in a session of its own. */
  async function shell(title = 'shell') {
    const session = await c.client.call('sessions.create', { cwd: c.folder, title });
    const worker = await c.client.call('workers.create', { sessionId: session.id, type: 'terminal' });
    return { session, worker };
  }

  const type = (page: Page, text: string) => typeLine(page, text);

  it('explains how to log in, and accepts a login link once', async () => {
    const stranger = track(await visit(browser));
    await stranger.page.goto(c.baseUrl);
    await stranger.page.getByText('agent-console open').waitFor();
    const link = await loginLink(c);
    const { page } = track(await visit(browser));
    await page.goto(link);
    await page.getByRole('heading', { name: 'Get started' }).waitFor();
    expect(page.url()).not.toContain('code=');
    const second = await visit(browser);
    await second.page.goto(link);
    await second.page.getByText('expired or was already used').waitFor();
    await second.context.close();
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
    // An answer is accepted once its question has been shown for a moment.
    await page
      .getByRole('region', { name: 'Question from the agent' })
      .getByRole('button', { name: 'Yes' })
      .click({ trial: true });
    await page.getByRole('button', { name: 'Answer' }).click();
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
    const made = await delegate('@ask Shall I?\n@report succeeded Did it.', 'question');
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

  it('resumes at the next byte after the server was killed, with input typed meanwhile', async () => {
    const { session } = await shell();
    const { page } = await open();
    await openSession(page, 'shell');
    const terminal = terminalOf(page);
    await terminal.click();
    await type(page, 'i=0; while [ $i -lt 4000 ]; do i=$((i+1)); echo "line $i of it"; done; echo all-printed');
    await untilScreen(page, 'line ');
    await killServer(c);
    await type(page, 'echo typed-while-away');
    await untilScreen(page, 'typed-while-away\n');
    const { workers } = await c.client.call('sessions.get', { sessionId: session.id });
    const { text } = await c.client.call('workers.screen', { workerId: workers[0]?.id ?? '' });
    await expect.poll(async () => trimmed(await screenText(page)), POLL).toBe(trimmed(text));
    expect(text.split('typed-while-away')).toHaveLength(3);
  });

  it('reports being offline, keeps input and drafts, and sends input after reconnecting', async () => {
    await shell();
    const { page, screenshot } = await open();
    await openSession(page, 'shell');
    await untilPrompt(page);
    await page.getByLabel('Prompt').fill('a draft');
    await c.runner.stopServer();
    await page.getByTestId('offline').waitFor();
    await terminalOf(page).click();
    await type(page, 'echo kept-and-sent');
    await page.getByText(/will be sent after reconnecting/).waitFor();
    await screenshot('offline');
    await c.serve();
    await page.getByTestId('offline').waitFor({ state: 'detached' });
    await untilScreen(page, 'kept-and-sent\n');
    expect(await page.getByLabel('Prompt').inputValue()).toBe('a draft');
  });

  it('shows the right screen after a 100 MB flood that it did not read, without blocking the shell', async () => {
    const { worker } = await shell();
    const { page } = await open();
    await openSession(page, 'shell');
    await untilPrompt(page);
    await terminalOf(page).click();
    await page.keyboard.type('seq 1 12500000; echo flood-over\r');
    await untilScreen(page, '1');
    const busy = page.evaluate(() => {
      const end = performance.now() + 8_000;
      while (performance.now() < end);
    });
    await c.until('the end of the flood', async () => {
      const { text } = await c.client.call('workers.screen', { workerId: worker.id });
      return text.includes('flood-over\n') || text.endsWith('flood-over');
    });
    await busy;
    await untilScreen(page, '12500000\nflood-over\n');
    const { text } = await c.client.call('workers.screen', { workerId: worker.id });
    await expect.poll(async () => trimmed(await screenText(page)), POLL).toBe(trimmed(text));
  });

  it('sends every key while twenty terminals stream', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `stream ${n + 1}`);
    for (const name of names) {
      const { worker } = await shell(name);
      await c.client.call('workers.input', { workerId: worker.id, data: 'while :; do date +%N; sleep 0.1; done\r' });
    }
    const { worker } = await shell('typed into');
    const { page, screenshot } = await open();
    for (const name of names.slice(0, 12)) await openSession(page, name);
    await openSession(page, 'typed into');
    await untilPrompt(page);
    await terminalOf(page).click();
    const words = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ');
    await page.keyboard.type(`echo ${words}\r`);
    await c.until('the echo', async () => {
      const { text } = await c.client.call('workers.output', { workerId: worker.id, format: 'text' });
      return (text ?? '').replaceAll('\n', '').includes(words);
    });
    await untilScreen(page, 'word39');
    await screenshot('twenty-streams');
  });

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
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByText('shop').first().waitFor();
    await screenshot('repositories');
  });

  it('confirms links from a program, and denies programs the clipboard', async () => {
    const { worker } = await shell();
    const { page, context } = await open();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openSession(page, 'shell');
    await untilPrompt(page);
    await page.evaluate(() => navigator.clipboard.writeText('mine'));
    await c.client.call('workers.input', {
      workerId: worker.id,
      data: "clear; printf '\\033]52;c;c3RvbGVu\\007\\033]8;;https://example.com/there\\033\\\\click-me\\033]8;;\\033\\\\ done\\n'\r",
    });
    await untilScreen(page, 'click-me done');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
    const at = await terminalOf(page).getByText('click-me').first().boundingBox();
    await page.mouse.move((at?.x ?? 0) + 20, (at?.y ?? 0) + 8);
    await page.mouse.click((at?.x ?? 0) + 20, (at?.y ?? 0) + 8);
    await page.getByRole('dialog').getByText('https://example.com/there').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(context.pages()).toHaveLength(1);
  });

  it('fits every size, with one session, thirty and a thousand', { timeout: 240_000 }, async () => {
    await delegate('@say At work.\n@report succeeded All done.', 'first work');
    const viewports = [
      { width: 1440, height: 900, dark: false },
      { width: 1440, height: 900, dark: true },
      { width: 1024, height: 700, dark: true },
      { width: 390, height: 844, dark: false },
    ];
    let made = 0;
    for (const count of [1, 30, 1_000]) {
      while (made < count - 1) {
        const batch = Array.from({ length: Math.min(25, count - 1 - made) }, (_, n) => `session ${made + n + 1}`);
        await Promise.all(batch.map((title) => c.client.call('sessions.create', { cwd: c.folder, title })));
        made += batch.length;
      }
      for (const viewport of viewports) {
        const visited = await open({ ...viewport, path: '/sessions' });
        const { page, screenshot, context } = visited;
        await page.getByRole('treeitem').nth(1).waitFor();
        await screenshot(`sessions-${count}-${viewport.width}-${viewport.dark ? 'dark' : 'light'}`);
        if (viewport.width > 700) {
          const wider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
          expect(wider).toBe(false);
        }
        await context.close();
      }
    }
  });
});

/** Screen text without trailing blanks. */
function trimmed(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}
