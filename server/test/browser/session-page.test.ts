import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { POLL, pressTogether, screenText, terminalOf, typeLine, untilPrompt, untilScreen } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

// Chromium logs every error response, including the conflict that a test expects.
browserSuite('the session page', { allowed: /status of 409/ }, ({ c, open }) => {
  let working = '';
  let changed = '';
  let broken = '';
  let reviewed = '';
  const delegate = async (title: string, prompt: string) =>
    (await c.client.call('delegations.create', { repositoryId: c.repository.id, title, prompt })).sessionId;
  beforeAll(async () => {
    await c.client.call('settings.update', { defaultAgentId: 'scripted', editorUrl: 'my-editor://open{path}' });
    working = await delegate('Work', '@say at work\n@sleep 600000');
    changed = await delegate('Change', '@write src/deep/one.ts one\n@write src/two.ts two\n@report succeeded Done');
    broken = await delegate('Break', '@say first\n@report failed It broke');
    reviewed = await delegate('Review', '@write notes.txt one\n@report succeeded Done');
    for (const sessionId of [changed, broken, reviewed]) {
      await c.until('an end', async () => (await c.client.call('sessions.get', { sessionId })).task?.endedAt != null);
    }
  });
  /** Adds a comment on the first change of the open diff. */
  async function commentOn(page: Page, text: string): Promise<void> {
    await page.keyboard.press(']');
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: /notes\.txt/ }).fill(text);
    await page.keyboard.press('Control+Enter');
    await page.getByText('not sent').last().waitFor();
  }
  /**
   * Returns a set with the addresses of the page's open terminal sockets. The set changes when the page opens or closes
   * a socket.
   */
  function terminalSockets(page: Page): Set<string> {
    const sockets = new Set<string>();
    page.on('websocket', (socket) => {
      if (!socket.url().includes('/worker/')) return;
      sockets.add(socket.url());
      socket.on('close', () => sockets.delete(socket.url()));
    });
    return sockets;
  }

  it('shows terminals on a strip with a menu, and disconnects those that are hidden', async () => {
    for (let opened = 0; opened < 9; opened += 1) {
      await c.client.call('workers.create', { sessionId: working, type: 'terminal' });
    }
    const { page, screenshot } = await open({ path: `/sessions/${working}` });
    const sockets = terminalSockets(page);
    const strip = page.getByRole('navigation', { name: 'Terminals' });
    await strip.getByRole('button', { name: /^\d more/ }).click();
    await page.getByRole('menuitem', { name: 'Terminal 9' }).click();
    await strip.locator('[aria-current=page]', { hasText: 'Terminal 9' }).waitFor();
    await untilPrompt(page);
    await screenshot('session-strip');
    await expect.poll(() => sockets.size, POLL).toBe(1);
    await terminalOf(page).click();
    await typeLine(page, 'for i in 1 2 3; do echo "$i"-kept; done');
    await untilScreen(page, '3-kept');
    // Opens a view of the session that shows no terminal.
    await page.getByRole('link', { name: 'Events' }).click();
    await expect.poll(() => sockets.size, POLL).toBe(0);
    await page.getByRole('link', { name: 'Terminal', exact: true }).click();
    await untilScreen(page, 'at work');
    await page
      .getByRole('navigation', { name: 'Terminals' })
      .getByRole('button', { name: 'Terminal 1', exact: true })
      .click();
    await expect.poll(() => sockets.size, POLL).toBe(1);
  });

  it('shows running terminals in a grid, which does not change their size', async () => {
    const { page, screenshot } = await open({ path: '/sessions' });
    const agent = (await c.client.call('sessions.get', { sessionId: changed })).workers.find(
      ({ type }) => type === 'agent',
    );
    const size = async () => {
      const { cols, rows } = await c.client.call('workers.screen', { workerId: agent?.id ?? '' });
      return { cols, rows };
    };
    const before = await size();
    await page.getByRole('tree').waitFor();
    await pressTogether(page, 'g', 't');
    await page.getByRole('heading', { name: 'Terminals' }).waitFor();
    const cell = page.getByRole('listitem').filter({ hasText: 'Work' });
    await expect.poll(() => cell.locator('.xterm-rows').allTextContents().then(String), POLL).toContain('work');
    await screenshot('session-grid');
    expect(await size()).toEqual(before);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /Work|Change|Break/ }).waitFor();
  });

  it('says that a worktree is being created, and then shows its changes', async () => {
    const release = join(c.home, 'release');
    const { repository } = c;
    const setupCommand = `until test -f '${release}'; do sleep 0.05; done`;
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand });
    const made = delegate('Prepared', '@write prepared.txt one\n@report succeeded Done');
    const find = async () => (await c.client.call('sessions.list', {})).data.find(({ title }) => title === 'Prepared');
    const { id } = await c.until('the session', find);
    const { page, screenshot } = await open({ path: `/sessions/${id}?view=diff` });
    await page.getByText('The worktree is being created.').first().waitFor();
    await screenshot('session-preparing');
    writeFileSync(release, '');
    await made;
    await page.getByRole('navigation', { name: 'Changed files' }).getByText('prepared.txt').waitFor();
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand: null });
  });

  it('retries a failed task, forks from a turn and opens the editor', async () => {
    const { page, screenshot } = await open({ path: `/sessions/${broken}?view=conversation` });
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('button', { name: 'Retry task' }).click();
    await expect.poll(async () => (await c.client.call('tasks.list', { sessionId: broken })).total, POLL).toBe(2);
    const conversation = page.getByRole('region', { name: 'Conversation' });
    await conversation.getByText('Failed').nth(1).waitFor();
    await screenshot('session-conversation');
    await page.keyboard.press('/');
    await page.keyboard.type('it broke');
    await page.keyboard.press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: /^\d of \d$/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await conversation.getByRole('button', { name: 'Fork from here' }).first().click();
    await page.getByRole('dialog', { name: /^Fork/ }).waitFor();
    await page.keyboard.press('Escape');
    const { worktreeId } = await c.client.call('sessions.get', { sessionId: broken });
    const call = page.waitForResponse((answer) => answer.url().endsWith(`/worktrees/${worktreeId}/open-in-editor`));
    await details.getByRole('button', { name: 'Open in editor' }).click();
    expect(((await (await call).json()) as { url: string }).url).toMatch(/^my-editor:\/\/open\//);

    await c.client.call('sessions.stop', { sessionId: broken });
    await page.getByRole('link', { name: 'Terminal', exact: true }).click();
    const end = page.getByRole('status').filter({ hasText: 'The agent is stopped' });
    await end.getByRole('button', { name: 'Resume' }).waitFor();
    await details.getByRole('button', { name: 'Resume' }).waitFor();
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Resume' }).waitFor();
  });

  it('offers to fork only what can be forked', async () => {
    await c.client.call('agents.create', { id: 'plain', name: 'Plain', command: ['cat'] });
    const fields = { cwd: c.folder, agentId: 'plain', title: 'Unforkable' };
    const { id } = await c.client.call('sessions.create', fields);
    const { page } = await open({ path: `/sessions/${id}` });
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('button', { name: 'New terminal' }).waitFor();
    await details.getByRole('button', { name: 'Fork…' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('fork');
    await page.getByRole('group', { name: 'Commands' }).getByRole('option', { name: 'Fork session…' }).click();
    await page.getByRole('option', { name: /^Work/ }).waitFor();
    expect(await page.getByRole('option', { name: /^Unforkable/ }).count()).toBe(0);
  });

  it('reviews in focus mode, and keeps sent comments with their state', async () => {
    const { page, screenshot } = await open({ path: `/sessions/${changed}?view=diff` });
    const files = page.getByRole('navigation', { name: 'Changed files' });
    await files.getByRole('button', { name: 'deep' }).waitFor();
    await page.keyboard.press('f');
    await page.getByRole('complementary', { name: 'Details' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('tree').isVisible()).toBe(false);
    await page.keyboard.press('x');
    await files.getByText('1/2').waitFor();
    await page.keyboard.press('Shift+J');
    await page.keyboard.press('c');
    await page.keyboard.type('Why two?');
    await page.keyboard.press('Control+Enter');
    await page.getByText('not sent').waitFor();
    await page.keyboard.press('s');
    await page
      .getByText(/answered · the commented lines are unchanged|sent/)
      .first()
      .waitFor();
    // The diff may contain the text twice: in the comment, and in the note that the agent has committed about the
    // comment.
    await page.getByText('Why two?').first().waitFor();
    await screenshot('session-review');
    await expect.poll(() => page.evaluate(() => document.activeElement === document.body), POLL).toBe(false);
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('button', { name: 'Resolve' }).waitFor({ state: 'detached' });
  });

  it('shares comments and prompt drafts between two tabs, and drops no draft that a tab shows', async () => {
    const { page, context } = await open({ path: `/sessions/${reviewed}?view=diff` });
    await page.locator('.diff').getByText('one').first().waitFor();
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('.diff').getByText('one').first().waitFor();
    await commentOn(page, 'From one tab');
    await other.getByRole('button', { name: 'Send 1 comment' }).waitFor();
    await commentOn(other, 'From the other');
    await page.getByRole('button', { name: 'Send 2 comments' }).waitFor();

    const prompt = (tab: Page) => tab.getByLabel('Prompt', { exact: true });
    await prompt(page).fill('@say Once.');
    await expect.poll(() => prompt(other).inputValue(), POLL).toBe('@say Once.');
    await prompt(page).press('Enter');
    await expect.poll(() => prompt(other).inputValue(), POLL).toBe('');

    await prompt(page).fill('The oldest draft');
    await page.reload();
    await expect.poll(() => prompt(page).inputValue(), POLL).toBe('The oldest draft');
    const key = (id: string) => `agent-console.draft.${id}`;
    const others = Array.from({ length: 49 }, (_, n) => key(`000000${n + 10}-0000-7000-8000-000000000000`));
    await page.evaluate(
      ([oldest, newer]) => {
        const draft = (at: number) => JSON.stringify({ text: 'Newer', at });
        newer.forEach((each, n) => void localStorage.setItem(each, draft(Date.now() + n)));
        // The page added its own listener earlier, so that listener has already handled the event when this listener is
        // called.
        addEventListener('storage', (event) => {
          if (event.key === oldest && event.newValue === null) document.body.dataset.dropped = oldest;
        });
      },
      [key(reviewed), others] as const,
    );
    await other.goto(`${c.baseUrl}/sessions/${changed}`);
    await prompt(other).fill('One draft too many');
    await page.locator('body[data-dropped]').waitFor();
    expect(await prompt(page).inputValue()).toBe('The oldest draft');
    await page.reload();
    await expect.poll(() => prompt(page).inputValue(), POLL).toBe('The oldest draft');
    await prompt(page).fill('');
    await prompt(other).fill('');
  });

  it('keeps the keys of the review from others while it is loaded', async () => {
    const { page } = await open();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    const dialog = page.getByRole('dialog');
    const details = page.getByRole('complementary', { name: 'Details' });
    const press = async () => {
      await page.keyboard.press('c');
      await page.keyboard.press(']');
    };
    const script = await holdBack(page, /\/DiffView-[^/]*\.js$/);
    const diff = await holdBack(page, /\/diff(?:\?|$)/);
    await page.goto(`${c.baseUrl}/sessions/${changed}?view=diff`);
    await page.locator('[data-view="diff"]').getByText('Loading…').waitFor();
    await press();
    script.release();
    await page.getByRole('status', { name: 'Loading the diff' }).waitFor();
    await press();
    diff.release();
    const files = page.getByRole('navigation', { name: 'Changed files' });
    await files.waitFor();
    expect(await dialog.count()).toBe(0);
    expect(await details.count()).toBe(1);

    // The keys of the diff still control the diff if the tree of sessions appears after the diff.
    for (const name of ['Archived', 'Hide archived']) await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('tree').waitFor();
    const current = () => files.locator('[aria-current=true]').textContent();
    const before = await current();
    await page.keyboard.press('j');
    await expect.poll(current, POLL).not.toBe(before);

    // The keys of a diff also work if the diff was loaded before and is shown at once.
    await pressTogether(page, 'g', 'i');
    await files.waitFor({ state: 'detached' });
    await page.goBack();
    await files.waitFor();
    await page.keyboard.press(']');
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: /, lines? \d/ }).waitFor();
    expect(await details.count()).toBe(1);

    // If the diff cannot be loaded, its shortcuts are inactive, and the keys do what they do on pages without a diff.
    await page.route(/\/diff(?:\?|$)/, (route) =>
      route.fulfill({ status: 409, json: { error: { code: 'CONFLICT', message: 'Not now.', retryable: false } } }),
    );
    await page.reload();
    await page.locator('[data-view="diff"]').getByRole('button', { name: 'Try again' }).waitFor();
    await page.keyboard.press(']');
    await details.waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'Delegate work' }).waitFor();
  });

  it('fits the terminal to a phone if nobody else looks at it', async () => {
    const { page } = await open({ path: `/sessions/${changed}`, width: 390, height: 844 });
    await expect.poll(() => screenText(page), POLL).toContain('wrote');
    await expect
      .poll(() => terminalOf(page).evaluate((screen) => screen.scrollWidth <= screen.clientWidth + 1), POLL)
      .toBe(true);
  });
});

/** Holds back requests to a URL until `release` is called. */
async function holdBack(page: Page, url: RegExp): Promise<{ release: () => void }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await route.continue();
  });
  return { release };
}
