import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Visit, VisitOptions } from './support/browser.ts';
import { hasFocus, POLL, pressTogether, untilFocused } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

// The page may fetch a board again that was just removed, before the response to the removal. Chromium logs the 404.
browserSuite('boards', { allowed: /404/ }, (suite) => {
  const { c } = suite;
  const work = new Map<string, { sessionId: string; worktreeId: string }>();
  beforeAll(async () => {
    await c.client.call('repositories.update', { repositoryId: c.repository.id, checkCommand: 'true' });
    await delegate('Choose a payment provider', '@ask Which provider shall I use?');
    await delegate('Rework the checkout', '@write checkout.txt one two three\n@sleep 600000');
    await delegate('Fix the flaky login test', '@write login.txt fixed\n@commit Fix it\n@report succeeded Fixed.');
    await delegate('Update the docs', '@write docs.txt better\n@commit Update\n@report succeeded Updated.');
    await delegate('Migrate the database', '@report failed The migration broke.');
    await c.until('the questions and ends', async () => {
      const { data } = await c.client.call('sessions.list', {});
      return data.every(
        ({ title, task }) => title.startsWith('Rework') || task?.endedAt != null || task?.waitingFor === 'answer',
      );
    });
    const merged = work.get('Update the docs')?.worktreeId ?? '';
    await c.client.call('worktrees.integrate', { worktreeId: merged, wait: true });
    const checked = work.get('Fix the flaky login test')?.worktreeId ?? '';
    await c.client.call('worktrees.check', { worktreeId: checked, wait: true });
  });

  async function delegate(title: string, prompt: string) {
    const { sessionId } = await c.client.call('delegations.create', { repositoryId: c.repository.id, prompt, title });
    const { worktreeId } = await c.client.call('sessions.get', { sessionId });
    work.set(title, { sessionId, worktreeId: worktreeId ?? '' });
  }

  async function open(options: VisitOptions & { path?: string } = {}): Promise<Visit> {
    const visited = await suite.open({ path: '/boards', ...options });
    await visited.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    return visited;
  }

  const cardsIn = (page: Page, column: string) =>
    page
      .getByRole('region', { name: new RegExp(`^${column}, `) })
      .locator('[data-card] bdi')
      .allTextContents();
  const shows = (page: Page, column: string, titles: string[]) =>
    expect.poll(() => cardsIn(page, column), POLL).toEqual(titles);
  const cardOf = (page: Page, title: string) => page.getByRole('article', { name: title, exact: true });
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.querySelector('bdi')?.textContent);

  async function newBoard(name: string, zones: string[], titles: string[] = []) {
    const board = await c.client.call('boards.create', { name, zones });
    for (const title of titles) {
      const { worktreeId = '' } = work.get(title) ?? {};
      await c.client.call('worktrees.update', { worktreeId, boardId: board.id, zoneId: board.zones[0]?.id ?? null });
    }
    return board;
  }

  it('show every session by state, with the size and check of its work', async () => {
    const { page, screenshot } = await open();
    await shows(page, 'Needs you', ['Choose a payment provider', 'Migrate the database']);
    await shows(page, 'Working', ['Rework the checkout']);
    await shows(page, 'Done', ['Fix the flaky login test']);
    await shows(page, 'Merged', ['Update the docs']);
    const done = cardOf(page, 'Fix the flaky login test');
    await done.getByText('+1').waitFor();
    await done.getByText('✓ check passed').waitFor();
    await screenshot('board-states');
  });

  it('can be used with the keyboard: select a card, answer its question, act on it in the palette', async () => {
    await delegate('Choose a colour', '@ask Red?\n@report succeeded Red it is.');
    const { page } = await open();
    await cardOf(page, 'Choose a colour').getByRole('button', { name: /^yes/i }).waitFor();
    await page.keyboard.press('j');
    const first = (await cardsIn(page, 'Needs you'))[0];
    await expect.poll(() => focused(page), POLL).toBe(first);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page), POLL).toBe('Rework the checkout');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('pause');
    await page.getByRole('option', { name: 'Pause session', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page), POLL).toBe('Rework the checkout');
    await page.keyboard.press('h');
    await expect.poll(() => focused(page), POLL).toBe(first);
    while ((await focused(page)) !== 'Choose a colour') await page.keyboard.press('j');
    await page.keyboard.press('a');
    // Waits until the question accepts keys. A new question ignores keys for a moment, because they may have been meant
    // for something else.
    await page.locator('[data-answer]:focus:not([aria-disabled])').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => cardsIn(page, 'Done'), POLL).toContain('Choose a colour');
  });

  it('offer to undo a merge only if there is one that can be undone', async () => {
    const { page } = await open();
    const undo = page.getByRole('menuitem', { name: 'Undo the last merge' });
    await page.getByRole('button', { name: 'Actions for Update the docs' }).click();
    await undo.waitFor();
    await page.keyboard.press('Escape');
    await undo.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for Fix the flaky login test' }).click();
    await page.getByRole('menuitem', { name: 'Commit changes…' }).waitFor();
    expect(await undo.count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByLabel('Filter cards').focus();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('undo merge');
    await page.getByRole('option', { name: 'Undo the last merge…' }).click();
    await page.getByRole('option', { name: /^Update the docs/ }).waitFor();
    expect(await page.getByRole('option').count()).toBe(1);
  });

  it('have zones: a person creates a board, adds work, and moves it by dragging and by keyboard', async () => {
    const { page, screenshot } = await open();
    await pressTogether(page, 'g', 'b');
    await page.getByRole('button', { name: '+ New board' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Release 2');
    await dialog.getByLabel('Zones').fill('Next\nReview\nShipped');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Next, 0' }).waitFor();
    await page.getByRole('button', { name: 'Add session…' }).click();
    await dialog.getByLabel('Session').fill('flaky');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await shows(page, 'Next', ['Fix the flaky login test']);

    const review = page.getByRole('region', { name: /^Review, / });
    await cardOf(page, 'Fix the flaky login test').dragTo(review);
    await shows(page, 'Review', ['Fix the flaky login test']);
    await shows(page, 'Next', []);
    await screenshot('board-zones');

    await page.keyboard.press('j');
    await expect.poll(() => focused(page), POLL).toBe('Fix the flaky login test');
    await page.keyboard.press('m');
    await dialog.getByRole('combobox', { name: 'Zone' }).click();
    await page.getByRole('option', { name: 'Shipped' }).click();
    await page.keyboard.press('Control+Enter');
    await shows(page, 'Shipped', ['Fix the flaky login test']);
    await expect
      .poll(async () => {
        const { data } = await c.client.call('boards.list', {});
        const [board] = data;
        const { data: placed } = await c.client.call('boards.worktrees', { boardId: board?.id ?? '' });
        const { zones } = await c.client.call('boards.get', { boardId: board?.id ?? '' });
        return placed.map(({ zoneId }) => zones.find(({ id }) => id === zoneId)?.name);
      }, POLL)
      .toEqual(['Shipped']);
  });

  it('keep the place at which a card is dropped between others', async () => {
    const titles = ['Fix the flaky login test', 'Update the docs', 'Migrate the database'] as const;
    const board = await newBoard('Ordered', ['Next']);
    for (const [at, title] of titles.entries()) {
      const { worktreeId = '' } = work.get(title) ?? {};
      const place = { boardId: board.id, zoneId: board.zones[0]?.id ?? null, x: 0, y: 100 * (at + 1) };
      await c.client.call('worktrees.update', { worktreeId, ...place });
    }
    const { page } = await open({ path: `/boards/${board.id}` });
    await shows(page, 'Next', [...titles]);
    const targetPosition = { x: 40, y: 4 };
    const stored = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await cardOf(page, titles[2]).dragTo(cardOf(page, titles[1]), { targetPosition });
    await shows(page, 'Next', [titles[0], titles[2], titles[1]]);
    await stored;
    await page.reload();
    await shows(page, 'Next', [titles[0], titles[2], titles[1]]);
  });

  it('are usable with the keyboard as a list: questions, moves and menus', async () => {
    const title = 'Choose a font';
    await delegate(title, '@ask Serif?\n@report succeeded Serif it is.');
    const board = await newBoard('Listed', ['Next'], [title]);
    const { page, screenshot } = await open({ path: `/boards/${board.id}?view=list` });
    const card = cardOf(page, title);
    await card.getByRole('button', { name: /^yes/i }).waitFor();
    await screenshot('board-list');
    await page.evaluate(() => localStorage.setItem('agent-console.keys', '{"move-the-card":"z"}'));
    await page.reload();
    await card.getByRole('button', { name: /^yes/i }).waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => focused(page), POLL).toBe(title);
    await page.keyboard.press('z');
    await page.getByRole('dialog', { name: 'Move to a zone' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page), POLL).toBe(title);
    const menu = page.getByRole('button', { name: `Actions for ${title}` });
    while (!(await hasFocus(menu))) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Remove from board' }).waitFor();
    await page.getByRole('menuitem', { name: 'Move to a zone… z', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await untilFocused(menu);
    await page.keyboard.press('a');
    await page.locator('[data-answer]:focus:not([aria-disabled])').waitFor();
    await page.keyboard.press('Enter');
    await c.until('the answer', async () => {
      const { sessionId = '' } = work.get(title) ?? {};
      return (await c.client.call('sessions.get', { sessionId })).task?.status === 'completed';
    });
  });

  it('are renamed, duplicated and removed, and their zones too', async () => {
    const board = await newBoard('Old name', ['One'], ['Migrate the database']);
    const { page, screenshot } = await open({ path: `/boards/${board.id}` });
    const dialog = page.getByRole('dialog');
    const act = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for the board' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await act('Edit board…');
    await dialog.getByLabel('Name').fill('New name');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('link', { name: 'New name' }).waitFor();
    await act('Add zone…');
    await dialog.getByLabel('Name').fill('Two');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Two, 0' }).waitFor();
    await page.getByRole('button', { name: 'Actions for zone One' }).click();
    await page.getByRole('menuitem', { name: 'Remove zone…' }).click();
    await dialog.getByText('The cards in the zone stay on the board').waitFor();
    await dialog.getByRole('button', { name: 'Remove zone', exact: true }).click();
    await shows(page, 'No zone', ['Migrate the database']);
    await act('Duplicate board…');
    await expect.poll(() => dialog.getByLabel('Name').inputValue(), POLL).toBe('New name copy');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => page.url(), POLL).not.toContain(board.id);
    await page.getByRole('region', { name: 'Two, 0' }).waitFor();
    await act('Remove board…');
    await dialog.getByText('This permanently removes the board').waitFor();
    await screenshot('board-remove');
    await dialog.getByRole('button', { name: 'Remove board', exact: true }).click();
    await expect.poll(() => new URL(page.url()).pathname, POLL).toBe('/boards');
    expect((await c.client.call('boards.list', {})).data.map(({ name }) => name)).not.toContain('New name copy');
  });

  it('open “New session like this” with the values of a session that an agent created', async () => {
    const parent = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      prompt: '@tool delegate_to_worktree {"prompt": "@sleep 600000", "title": "Count the tests"}',
    });
    const child = await c.until('the child', async () => {
      const { data } = await c.client.call('sessions.list', {});
      return data.find(({ title, createdBySessionId }) => title === 'Count the tests' && createdBySessionId !== null);
    });
    const { page } = await open();
    await shows(page, 'Working', ['Count the tests', 'Rework the checkout']);
    await cardOf(page, 'Count the tests').getByRole('button', { name: 'Actions for Count the tests' }).click();
    const item = page.getByRole('menuitem', { name: 'New session like this…' });
    await item.waitFor();
    // When the session stops, its card moves to another column, but the open menu of the card stays open.
    const update = page.waitForResponse((response) => response.url().includes(child.id));
    await c.client.call('sessions.stop', { sessionId: child.id });
    await update;
    await item.click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByLabel('Prompt').inputValue(), POLL).toBe('@sleep 600000');
    await dialog.getByText('More options').click();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Count the tests');
    await c.client.call('sessions.stop', { sessionId: parent.sessionId });
  });

  it('name the session that prompted an agent, as the list of sessions does, until a person prompts the agent', async () => {
    const { sessionId: parentId } = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      title: 'Improve the search',
      prompt:
        '@tool delegate_to_worktree {"prompt": "@report succeeded Done.", "title": "Measure the search"}\n@report succeeded Done.',
    });
    const child = await c.until('the child', async () => {
      const { data } = await c.client.call('sessions.list', {});
      return data.find(({ title, task }) => title === 'Measure the search' && task?.endedAt != null);
    });
    const { page, screenshot } = await open();
    const card = cardOf(page, 'Measure the search');
    const link = card.getByRole('link', { name: /^Prompted by \W?Improve the search\W?$/ });
    await link.waitFor();
    const parent = cardOf(page, 'Improve the search');
    await parent.waitFor();
    expect(await parent.getByRole('link', { name: /^Prompted by/ }).count()).toBe(0);
    await screenshot('board-prompted');
    await link.click();
    await page.waitForURL(`**/sessions/${parentId}`);
    const row = page.getByRole('treeitem', { name: /^Measure the search, .*, prompted by \W?Improve the search\W?$/ });
    await row.waitFor();
    expect(await page.getByRole('treeitem', { name: /^Improve the search, .*prompted by/ }).count()).toBe(0);
    await row.click();
    await page.locator('dt:text-is("Created by") + dd').getByRole('link', { name: 'Improve the search' }).waitFor();
    await screenshot('session-prompted');

    await c.client.call('sessions.prompt', { sessionId: child.id, prompt: '@report succeeded Again.' });
    await row.waitFor({ state: 'detached' });
    await page.goto(`${c.baseUrl}/boards`);
    await card.waitFor();
    expect(await card.getByRole('link', { name: /^Prompted by/ }).count()).toBe(0);
    for (const sessionId of [child.id, parentId]) await c.client.call('sessions.stop', { sessionId });
  });

  it('show one column at a time on a phone, and a list on request', async () => {
    const { page, screenshot } = await open({ width: 390, height: 844 });
    await page.getByRole('tab', { name: /Needs you/ }).waitFor();
    await page.getByRole('tab', { name: /Merged/ }).click();
    await shows(page, 'Merged', ['Update the docs']);
    expect(await page.getByRole('region', { name: /^Working, / }).count()).toBe(0);
    await screenshot('board-phone');
    await page.getByRole('button', { name: 'Show list' }).click();
    await page.getByRole('heading', { name: /Working/ }).waitFor();
    await cardOf(page, 'Rework the checkout').waitFor();
    await screenshot('board-phone-list');
    const sessionId = work.get('Rework the checkout')?.sessionId ?? '';
    const title = 'Rework the checkout so that nobody enters an address twice';
    await c.client.call('sessions.update', { sessionId, title });
    const name = cardOf(page, title).locator('bdi').first();
    const isCut = await name.evaluate(
      (each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight,
    );
    expect(isCut).toBe(false);
    await c.client.call('sessions.update', { sessionId, title: 'Rework the checkout' });
  });

  it('have a search that finds messages of any session while typing, and opens them', async () => {
    const { page, screenshot } = await open({ path: '/sessions' });
    await pressTogether(page, 'g', '/');
    await page.getByRole('searchbox', { name: 'Search all conversations' }).waitFor();
    await page.keyboard.type('flaky log');
    await page
      .getByText('Nothing found')
      .or(page.getByRole('region', { name: 'Fix the flaky login test' }))
      .first()
      .waitFor();
    await page.getByRole('searchbox').fill('provider');
    const result = page.getByRole('region', { name: 'Choose a payment provider' });
    await result.locator('mark').first().waitFor();
    await screenshot('search');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Choose a payment provider' }).waitFor();
    expect(new URL(page.url()).searchParams.get('view')).toBe('conversation');
  });

  it('have a search that takes over a query of the palette, and opens no result of an earlier query', async () => {
    const { page } = await open({ path: '/search?q=provider' });
    const field = page.getByRole('searchbox');
    await page.getByRole('region', { name: 'Choose a payment provider' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('checkout.txt');
    await page.getByRole('option', { name: /^Search all conversations/ }).click();
    await page.getByRole('region', { name: 'Rework the checkout' }).waitFor();
    expect(await field.inputValue()).toBe('checkout.txt');
    await field.fill('provider');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Choose a payment provider' }).waitFor();
  });

  it('have a palette that acts on what has the focus, also on archived sessions, and finds settings', async () => {
    await delegate('Old work', '@say done');
    const { sessionId = '' } = work.get('Old work') ?? {};
    await c.client.call('sessions.wait', { sessionId });
    await c.client.call('sessions.stop', { sessionId });
    await c.client.call('sessions.archive', { sessionId });
    const { page, screenshot } = await open({ path: `/sessions/${sessionId}` });
    await page.getByRole('heading', { name: 'Old work' }).waitFor();
    await page.getByRole('button', { name: 'Unarchive' }).waitFor();
    expect(await page.getByRole('button', { name: /New terminal|\+ ?Terminal/ }).count()).toBe(0);
    const option = (name: string) => page.getByRole('option', { name, exact: true });
    const type = async (query: string) => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search sessions and commands…').fill(query);
    };
    await type('unarch');
    await option('Unarchive session').waitFor();
    await screenshot('palette-archived');
    await page.keyboard.press('Escape');
    for (const [query, title] of [
      ['users', 'Users'],
      ['audit', 'Audit log'],
      ['mcp', 'MCP servers'],
    ] as const) {
      await type(query);
      await page.locator('[role=option]').first().getByText(title, { exact: true }).waitFor();
      await screenshot(`palette-${query}`);
      await page.keyboard.press('Escape');
    }
    await page.goto(new URL('/terminals', page.url()).href);
    await page.getByRole('link', { name: 'Rework the checkout' }).focus();
    await type('cancel');
    await option('Cancel the task').waitFor();
    await page.keyboard.press('Escape');
    await page.goto(new URL('/inbox', page.url()).href);
    const first = page.locator('li[data-session]').first();
    await first.waitFor();
    await page.keyboard.press('j');
    await type('fork');
    await option('Fork session…').waitFor();
    await page.keyboard.press('Escape');
    // No card has the focus, so the palette asks for a session.
    await page.goto(new URL('/boards', page.url()).href);
    await cardOf(page, 'Rework the checkout').getByRole('link').first().focus();
    await page.getByLabel('Filter cards').focus();
    await type('stop session');
    await option('Stop session…').waitFor();
    expect(await option('Stop session').count()).toBe(0);
  });

  it('open the palette at the first key press after loading, without losing keys', async () => {
    const { page } = await open({ path: '/sessions' });
    for (const query of ['check', 'new', 'settings']) {
      await page.reload({ waitUntil: 'domcontentloaded' });
      await page.keyboard.press('Control+k');
      await page.keyboard.type(query);
      const field = page.getByRole('dialog').getByPlaceholder('Search sessions and commands…');
      await expect.poll(() => field.inputValue(), POLL).toBe(query);
      expect(new URL(page.url()).pathname).toBe('/sessions');
    }
  });
});
