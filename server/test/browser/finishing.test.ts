import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIFF_FILES_MAX } from '@agent-console/shared/limits/git';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { POLL, untilFocused } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

// Chromium logs every error response, including the errors that the tests expect.
browserSuite('the dialogs that finish work', { allowed: /409|422|ERR_FAILED/ }, ({ c, open }) => {
  let remote: string;
  beforeAll(() => {
    remote = join(c.folder, 'remote.git');
    c.git(['clone', '--quiet', '--bare', c.repository.path, remote], c.folder);
    c.git(['remote', 'add', 'origin', remote], c.repository.path);
  });

  /** Creates a session in a worktree with a commit of a file that is named after the branch. */
  async function work(branch: string) {
    const fields = { repositoryId: c.repository.id, mode: 'custom', branch, wait: true } as const;
    const { worktree } = await c.client.call('worktrees.create', fields);
    if (worktree === undefined) throw new Error('was not waited for');
    commit(worktree.path, `${branch}.txt`, `${branch}\n`);
    const about = { worktreeId: worktree.id, agentId: 'scripted', title: `Work of ${branch}` };
    const { id: sessionId } = await c.client.call('sessions.create', about);
    return { sessionId, worktreeId: worktree.id, path: worktree.path };
  }

  function commit(path: string, file: string, text = '', message = `Change ${file}`): void {
    writeFileSync(join(path, file), text);
    c.git(['add', '.'], path);
    c.git(['commit', '--quiet', '-m', message], path);
  }

  const openDiff = async (sessionId: string) => {
    const visited = await open({ path: `/sessions/${sessionId}?view=diff` });
    const bar = visited.page.getByRole('region', { name: 'Commit, merge and push' });
    await bar.getByText('1 ahead', { exact: true }).waitFor();
    return { ...visited, bar, dialog: visited.page.getByRole('dialog'), keyboard: visited.page.keyboard };
  };
  const focusIsLost = (page: Page) => page.evaluate(() => document.activeElement === document.body);

  it('announce failures at once, and leave their buttons free of toasts', async () => {
    const { sessionId, path } = await work('announced');
    // With six files, the dialog is so tall that, in a window of 1024 pixels, toasts at its side would cover its last
    // line.
    for (let file = 0; file < 6; file += 1) writeFileSync(join(path, `${file}.txt`), 'more\n');
    const { page, dialog, keyboard } = await openDiff(sessionId);
    const sizes = [1440, 1024, 390].map((width) => ({ width, height: 640 }));
    await keyboard.press('Shift+R');
    await page.locator('[aria-live=assertive]').getByText('Could not run the check').waitFor();
    await keyboard.press('Shift+Z');
    await page.locator('[aria-live=polite]').getByText('There is no merge to undo').waitFor();
    // Toasts do not disappear while the focus is in them.
    await page.getByRole('button', { name: 'Dismiss: There is no merge to undo' }).focus();
    for (const size of sizes) {
      await page.setViewportSize(size);
      await expect
        .poll(() => coveredByToasts(page, 'header button, form button, [aria-label^="Commit,"] button'), POLL)
        .toEqual([]);
    }
    await keyboard.press('Shift+C');
    await dialog.getByLabel('Message').fill('Add files');
    for (const size of sizes) {
      await page.setViewportSize(size);
      await keyboard.press('Control+k');
      await page.getByText('Searching would drop what you entered').waitFor();
      await expect
        .poll(() => coveredByToasts(page, '[role="dialog"] :is(button, textarea, input)'), { ...POLL, timeout: 5_000 })
        .toEqual([]);
    }
  });

  it('keep a toast with the focus, whatever happens to other toasts', async () => {
    const { sessionId } = await work('focused');
    const { page, bar, keyboard } = await openDiff(sessionId);
    await page.clock.install();
    const toasts = page.locator('[aria-live] > [aria-atomic]');
    const failed = toasts.filter({ hasText: 'Could not run the check' });
    await keyboard.press('Shift+R');
    await failed.waitFor();
    await keyboard.press('Shift+Z');
    await toasts.filter({ hasText: 'There is no merge to undo' }).waitFor();
    await failed.getByRole('button').focus();
    await failed.hover();
    await page.mouse.move(0, 0);
    // Presses the button without moving the focus to it.
    await page.getByRole('button', { name: 'Dismiss: There is no merge to undo' }).dispatchEvent('click');
    await expect.poll(() => toasts.count(), POLL).toBe(1);
    await page.clock.runFor(30_000);
    expect(await focusIsLost(page)).toBe(false);
    await failed.getByRole('button').blur();
    await page.clock.runFor(10_000);
    await expect.poll(() => toasts.count(), POLL).toBe(0);
    const commitButton = bar.getByRole('button', { name: /^Commit/ });
    await commitButton.focus();
    await keyboard.press('Shift+R');
    await failed.getByRole('button').focus();
    await keyboard.press('Enter');
    await expect.poll(() => toasts.count(), POLL).toBe(0);
    await expect.poll(() => commitButton.evaluate((each) => each === document.activeElement), POLL).toBe(true);
  });

  it('add a job to the open history of its session', async () => {
    const { sessionId, worktreeId } = await work('historical');
    await c.client.call('sessions.prompt', { sessionId, prompt: '@report succeeded Done.' });
    await c.until('the end', async () => (await c.client.call('sessions.get', { sessionId })).task?.endedAt != null);
    const { page } = await open({ path: `/sessions/${sessionId}?view=events` });
    const history = page.getByRole('region', { name: 'Events' });
    await history.getByText('Work on the prompt completed').waitFor();
    const { id: repositoryId } = c.repository;
    await c.client.call('repositories.update', { repositoryId, pullRequestCommand: 'true' });
    // Without a title, the pull request quotes the session, so the job of the pull request appears in the events of the
    // session.
    await c.client.call('worktrees.pullRequest', { worktreeId, dryRun: true });
    await history.getByText('Preview of a push with a pull request finished').waitFor();
    await c.client.call('repositories.update', { repositoryId, pullRequestCommand: null });
  });

  it('commit some of the files on a phone, on which their names are shown in full', async () => {
    const { sessionId, path } = await work('few');
    mkdirSync(join(path, 'notes'));
    const name = 'a-file-whose-name-is-wider-than-the-screen-of-a-phone.txt';
    for (const file of ['chosen.txt', `notes/${name}`]) writeFileSync(join(path, file), 'text\n');
    const { page, bar, dialog } = await openDiff(sessionId);
    await page.setViewportSize({ width: 390, height: 844 });
    await bar.getByRole('button', { name: /^Commit/ }).click();
    await dialog.getByLabel('Message').fill('Add one');
    const cut = () =>
      dialog
        .locator('.truncate')
        .evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length);
    await dialog.getByText(name).waitFor();
    expect(await cut()).toBe(0);
    const heights = await dialog
      .locator('label:has([type=checkbox])')
      .evaluateAll((all) => all.map((each) => each.clientHeight));
    expect(heights.filter((height) => height < 40)).toEqual([]);
    await dialog.getByRole('checkbox', { name: 'All 2 files' }).uncheck();
    const submit = dialog.getByRole('button', { name: 'Commit', exact: true });
    await dialog.getByText('Choose at least one file.').waitFor();
    const state = {
      disabled: await submit.getAttribute('aria-disabled'),
      busy: await submit.getAttribute('aria-busy'),
    };
    expect(state).toEqual({ disabled: 'true', busy: null });
    await dialog.getByLabel('chosen.txt, untracked').check();
    await submit.click();
    await page.getByText('1 file committed').waitFor();
    expect(c.git(['show', '--format=', '--name-only'], path)).toBe('chosen.txt');
  });

  it('say whether a commit includes the files that are too many to list', async () => {
    const { sessionId, path } = await work('many');
    for (let file = 0; file < DIFF_FILES_MAX + 2; file += 1) writeFileSync(join(path, `${file}.txt`), '');
    const { page, dialog, keyboard } = await openDiff(sessionId);
    await keyboard.press('Shift+C');
    await dialog.getByText('Commits all changes, including untracked files.').waitFor();
    await dialog.getByText('2 more files will also be committed').waitFor();
    await dialog.getByLabel('0.txt, untracked', { exact: true }).uncheck();
    await dialog.getByText('Commits 1,999 of 2,002 files.').waitFor();
    await dialog.getByText('2 more files will not be committed').waitFor();
    await dialog.getByLabel('Message').fill('Add files');
    await dialog.getByRole('button', { name: 'Commit', exact: true }).click();
    await page.getByText('1,999 files committed').waitFor();
  });

  it('update from the base by keyboard, and list conflicts by file and side without a change', async () => {
    const { sessionId, path } = await work('behind');
    commit(c.repository.path, 'new.txt');
    const { page, bar, dialog, keyboard, screenshot } = await openDiff(sessionId);
    await bar.getByText('1 behind', { exact: true }).waitFor();
    await keyboard.press('Shift+U');
    await dialog.getByText('Reapplies the commits').waitFor();
    await dialog.getByText('behind gets 1 commit from main').waitFor();
    await untilFocused(dialog.getByRole('radio', { name: 'Rebase' }));
    await keyboard.press('ArrowRight');
    await dialog.getByText('Merges the new commits').waitFor();
    await keyboard.press('ArrowLeft');
    await screenshot('finishing-update');
    await keyboard.press('Control+Enter');
    await page.getByText(/^Updated from \W?main\W?$/).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(c.git(['log', '--format=%s', '-2'], path)).toBe('Change behind.txt\nChange new.txt');
    await expect.poll(() => focusIsLost(page), POLL).toBe(false);

    const before = c.git(['rev-parse', 'HEAD'], path);
    commit(c.repository.path, 'behind.txt', 'of main\n');
    await page.reload();
    await bar.getByText('▲ conflicts with main').waitFor();
    await keyboard.press('Shift+U');
    await dialog.getByText('Reapplies the commits').waitFor();
    await keyboard.press('Control+Enter');
    await dialog.getByText('Not updated: there are conflicts').waitFor();
    const files = dialog.getByRole('list', { name: 'Files in conflict' });
    await files.getByText('behind.txt').waitFor();
    for (const side of ['in main', 'in behind']) await files.getByText(side).waitFor();
    await screenshot('finishing-update-conflict');
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(c.git(['rev-parse', 'HEAD'], path)).toBe(before);
  });

  it('replay the keys pressed before they are loaded, up to a key that cannot be replayed', async () => {
    const { sessionId, path } = await work('early');
    commit(c.repository.path, 'later.txt');
    const { page, bar, dialog, keyboard } = await openDiff(sessionId);
    await bar.getByText('1 behind', { exact: true }).waitFor();
    const pressEarly = async (...keys: string[]) => {
      const script = await held(page, '**/assets/UpdateDialog-*.js');
      await page.reload();
      await bar.getByText('1 behind', { exact: true }).waitFor();
      await keyboard.press('Shift+U');
      await script.asked;
      for (const key of keys) await keyboard.press(key);
      script.release();
    };
    await pressEarly('Tab', 'Control+Enter');
    await untilFocused(dialog.getByRole('radio', { name: 'Rebase' }));
    await expect
      .poll(() => keyboard.press('ArrowRight').then(() => dialog.textContent()), POLL)
      .toContain('Merges the');
    expect(c.git(['log', '--format=%s', '-1'], path)).toBe('Change early.txt');

    await pressEarly('ArrowRight', 'Control+Enter');
    await page.getByText(/^Updated from \W?main\W?$/).waitFor();
    expect(c.git(['log', '--format=%p', '-1'], path).split(' ')).toHaveLength(2);
  });

  it('push by keyboard, show what the remote lacks, and replace the remote branch only if told', async () => {
    const { sessionId, path } = await work('shared');
    const { page, bar, dialog, keyboard, screenshot } = await openDiff(sessionId);
    await keyboard.press('Shift+P');
    await dialog.getByText('Push shared').waitFor();
    await keyboard.press('Control+Enter');
    await page.getByText(/^\W?shared\W? pushed$/).waitFor();
    await bar.getByText('pushed', { exact: true }).waitFor();
    expect(c.git(['rev-parse', 'shared'], remote)).toBe(c.git(['rev-parse', 'HEAD'], path));
    await expect.poll(() => focusIsLost(page), POLL).toBe(false);

    c.git(['commit', '--quiet', '--amend', '-m', 'Amended'], path);
    await page.reload();
    await bar.getByText('1 ahead of upstream').waitFor();
    await bar.getByText('1 behind upstream').waitFor();
    await screenshot('finishing-upstream');
    await keyboard.press('Shift+P');
    await dialog.getByText('Push shared').waitFor();
    await keyboard.press('Control+Enter');
    await dialog.getByText('has commits that the local branch does not have').waitFor();
    await screenshot('finishing-push-refused');
    await tabTo(page, 'Back');
    await keyboard.press('Enter');
    await tabTo(page, 'Replace the remote branch');
    await keyboard.press('Space');
    await keyboard.press('Control+Enter');
    await bar.getByText('pushed', { exact: true }).waitFor();
    expect(c.git(['log', '-1', '--format=%s', 'shared'], remote)).toBe('Amended');
  });

  it('create a pull request by keyboard, or link to the page on which a person can create it', async () => {
    const { sessionId } = await work('request');
    c.git(['remote', 'set-url', 'origin', 'https://gitlab.com/group/shop.git'], c.repository.path);
    c.git(['remote', 'set-url', '--push', 'origin', remote], c.repository.path);
    const { page, bar, dialog, keyboard, screenshot } = await openDiff(sessionId);
    await keyboard.press('Shift+P');
    await dialog.getByText('Push request').waitFor();
    await keyboard.press('ArrowRight');
    await dialog.getByLabel('Title').waitFor();
    await keyboard.press('Control+Enter');
    await dialog.getByText('the remote is not on GitHub').waitFor();
    await tabTo(page, 'Create the pull request on the web');
    await screenshot('finishing-pull-request');
    await keyboard.press('Enter');
    await page.getByText('https://gitlab.com/group/shop/-/merge_requests/new').first().waitFor();
    await keyboard.press('Escape');

    const pullRequestCommand = `test "$AGENT_CONSOLE_TITLE" = Ready && echo https://forge.example/o/r/pulls/12`;
    await c.client.call('repositories.update', { repositoryId: c.repository.id, pullRequestCommand });
    await tabTo(page, 'Title');
    await keyboard.insertText('Ready');
    await keyboard.press('Control+Enter');
    await page.getByText(/^Pull request of \W?request\W? created$/).waitFor();
    await bar.getByText(/^#12\s*open$/).waitFor();
    await c.client.call('repositories.update', { repositoryId: c.repository.id, pullRequestCommand: null });
    c.git(['remote', 'set-url', 'origin', remote], c.repository.path);
  });

  it('announce what became of a change whose dialog was closed before it ended', async () => {
    const { sessionId, path } = await work('late');
    const { page, dialog, keyboard } = await openDiff(sessionId);
    const close = async () => {
      await keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };

    const push = await held(page, '**/push');
    await keyboard.press('Shift+P');
    await dialog.getByText('Push late').waitFor();
    await keyboard.press('Control+Enter');
    await push.asked;
    await close();
    push.release();
    await page.getByText(/^\W?late\W? pushed$/).waitFor();

    const update = await held(page, '**/update-from-base');
    await keyboard.press('Shift+U');
    await dialog.getByText('Reapplies the commits').waitFor();
    await keyboard.press('Control+Enter');
    await update.asked;
    await close();
    commit(c.repository.path, 'late.txt', 'of main\n');
    update.release();
    await page.getByText(/^Not updated from \W?main\W?$/).waitFor();
    c.git(['reset', '--quiet', '--hard', 'HEAD~1'], c.repository.path);

    // The job of a merge fails after the merge dialog was closed, because the target has uncommitted changes.
    const merge = await held(page, '**/integrate', (body) => !body.includes('"dryRun":true'));
    await keyboard.press('Shift+M');
    await dialog.getByText('There are no conflicts').waitFor();
    await keyboard.press('Control+Enter');
    await merge.asked;
    await close();
    writeFileSync(join(c.repository.path, 'late.txt'), 'uncommitted\n');
    merge.release();
    await page.getByText('Could not merge', { exact: true }).waitFor();
    rmSync(join(c.repository.path, 'late.txt'));

    // A hook refuses the commit after the commit dialog was closed.
    const hook = join(c.repository.path, '.git/hooks/pre-commit');
    mkdirSync(join(c.repository.path, '.git/hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nwhile [ ! -f "$HOME/go" ]; do sleep 0.05; done; exit 1\n');
    chmodSync(hook, 0o755);
    writeFileSync(join(path, 'more.txt'), '');
    await page.reload();
    await page.getByText('1 uncommitted file').waitFor();
    await keyboard.press('Shift+C');
    await dialog.getByText('more.txt').waitFor();
    await keyboard.type('More');
    await keyboard.press('Control+Enter');
    await dialog.getByText(/^Committing: committing with hooks/).waitFor();
    // The commit continues although the console cannot be reached for a moment.
    let isReached = false;
    await page.route(/\/jobs\/.*waitSeconds/, (route) => {
      if (isReached) return route.continue();
      isReached = true;
      return route.abort();
    });
    await close();
    await expect.poll(() => isReached, POLL).toBe(true);
    writeFileSync(join(c.env.HOME ?? '', 'go'), '');
    await page.getByText('Could not commit', { exact: true }).waitFor();
    await page.getByText(/with the hooks of the repository/).waitFor();
    rmSync(hook);

    const discard = await held(page, '**/discard');
    await keyboard.press('Shift+D');
    await dialog.getByText('more.txt').waitFor();
    await keyboard.press('Control+Enter');
    await discard.asked;
    await close();
    discard.release();
    await page.getByText('Changes of 1 file discarded').waitFor();
    expect(existsSync(join(path, 'more.txt'))).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).last().press('Enter');
    await page.getByText('Changes restored').waitFor();
    expect(existsSync(join(path, 'more.txt'))).toBe(true);
  });
});

/** Presses Tab until the element with this label or text has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const { keyboard } = page;
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      const label = element instanceof HTMLInputElement ? element.labels?.[0] : element;
      return label?.textContent ?? '';
    });
  await page.getByRole('dialog').getByText(name).first().waitFor();
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await focused()).startsWith(name)) return;
    await keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}.`);
}

/**
 * Holds back the requests to a URL for whose body `isMeant` returns true, until `release` is called. `asked` resolves
 * when the page has sent the first of them.
 */
async function held(page: Page, url: string, isMeant: (body: string) => boolean = () => true) {
  let ask = () => {};
  let release = () => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (isMeant(route.request().postData() ?? '')) {
      ask();
      await released;
    }
    await route.continue();
  });
  return { asked, release: () => release() };
}

function coveredByToasts(page: Page, controls: string): Promise<string[]> {
  return page.evaluate((selector) => {
    const toasts = [...document.querySelectorAll('[aria-live] > [aria-atomic]')]
      .map((toast) => toast.getBoundingClientRect())
      .filter(({ height }) => height > 0);
    if (toasts.length === 0) return ['no toasts'];
    const found = [...document.querySelectorAll(selector)].filter((control) => {
      const { top, right, bottom, left } = control.getBoundingClientRect();
      return toasts.some((box) => top < box.bottom && bottom > box.top && left < box.right && right > box.left);
    });
    return found
      .filter((control) => control.closest('[aria-live]') === null)
      .map((control) => control.ariaLabel ?? (control.textContent || control.id));
  }, controls);
}
