import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { RequestOf } from '@agent-console/shared/operations/table';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { POLL, pressTogether } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

/**
 * Runs in the page: moves and zooms the graph for 20 frames. Returns the median time between frames in milliseconds.
 */
async function MOVE(): Promise<{ median: number }> {
  const pane = document.querySelector('.react-flow__pane');
  const { x, y, width, height } = (pane as Element).getBoundingClientRect();
  const times: number[] = [];
  let last = performance.now();
  for (let step = 0; step < 20; step += 1) {
    const direction = step < 10 ? 1 : -1;
    const ctrlKey = step % 4 === 0;
    const delta = ctrlKey ? { deltaY: -10 * direction } : { deltaX: 15 * direction };
    const middle = { clientX: x + width / 2, clientY: y + height / 2 };
    pane?.dispatchEvent(new WheelEvent('wheel', { ...delta, ...middle, ctrlKey, bubbles: true, cancelable: true }));
    await new Promise(requestAnimationFrame);
    times.push(performance.now() - last);
    last = performance.now();
  }
  return { median: times.sort((a, b) => a - b)[10] ?? 0 };
}

browserSuite('runs in the dashboard', {}, ({ c, open }) => {
  function create(input: Partial<RequestOf<'orchestrations.create'>>): Promise<OrchestrationStatus> {
    const fields = { objective: 'Build the shop', repositoryId: c.repository.id, agents: [] };
    return c.client.call('orchestrations.create', { ...fields, ...input });
  }

  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const state = (page: Page) => page.locator('header dl');

  it('creates, watches and retries with the keyboard only', async () => {
    const { page, screenshot } = await open({ path: '/runs' });
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.keyboard.press('+');
    await page.getByRole('dialog').getByLabel('Objective').waitFor();
    await page.keyboard.type('Ship the checkout');
    await page.getByRole('dialog').getByLabel('Role').focus();
    await page.keyboard.type('engineer');
    await page.getByRole('dialog').getByLabel('Task').focus();
    await page.keyboard.type('@report failed no tests');
    await screenshot('runs-new');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'Ship the checkout' }).waitFor();
    await state(page).getByText('failed', { exact: true }).waitFor();
    await page.keyboard.press('t');
    await row(page, 'engineer-1').getByText('no tests').waitFor();
    await screenshot('runs-failed-table');
    await row(page, 'engineer-1').getByRole('button', { name: 'Actions for engineer-1' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Retry' }).press('Enter');
    await row(page, 'engineer-1').getByText('2 of', { exact: false }).waitFor();
    await page.keyboard.press('e');
    await page.getByText('started, attempt 2').waitFor();
    await page.getByLabel('Events replayed').focus();
    await page.keyboard.press('Home');
    await page.locator('[data-agent="engineer-1"][data-state="pending"]').waitFor();
    await screenshot('runs-events');
    await page.getByRole('button', { name: 'Show current state' }).press('Enter');
    await page.locator('[data-agent="engineer-1"]:not([data-state="pending"])').waitFor();
    await pressTogether(page, 'g', 'u');
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Ship the checkout' }).waitFor();
  });

  it('pauses, resumes, extends and cancels with the keyboard only', async () => {
    const { id } = await create({
      objective: 'Write the handbook',
      strategy: 'sequential',
      agents: [
        { agentId: 'first', role: 'writer', task: '@ask Which title?' },
        { agentId: 'second', role: 'writer', task: '@report succeeded done' },
      ],
    });
    const { page, screenshot } = await open({ path: `/runs/${id}` });
    await page.locator('[data-agent="first"][data-state="pending"]').waitFor();
    await page.keyboard.press('Shift+S');
    await page.locator('[data-agent="first"]').getByText('asks', { exact: true }).waitFor();
    await page.keyboard.press('t');
    await row(page, 'first').getByText('asks', { exact: true }).waitFor();
    await page.keyboard.press('m');
    await page.keyboard.press('Shift+I');
    await page.locator('[data-agent="first"][data-state="paused"]').waitFor();
    await page.getByText('Paused by a person.').waitFor();
    await screenshot('runs-paused');
    // Until the console has responded to the pause, the page ignores the keys of other actions.
    await page.locator('button:not([aria-busy])', { hasText: 'Resume' }).waitFor();
    await page.keyboard.press('Shift+R');
    await page.locator('[data-agent="first"][data-state="running"]').waitFor();
    await page.getByRole('status').getByText('first running').waitFor({ state: 'attached' });
    await page.keyboard.press('+');
    await page.getByRole('dialog').getByLabel('Role').waitFor();
    await page.keyboard.type('editor');
    await page.getByRole('dialog').getByLabel('Task').focus();
    await page.keyboard.type('@report succeeded edited');
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-agent="editor-1"][data-state="pending"]').waitFor();
    await page.keyboard.press('Shift+X');
    await page.getByRole('dialog').getByText('1 agent will be stopped. 2 agents will not start.').waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).last().press('Enter');
    for (const name of ['first', 'second', 'editor-1']) {
      await page.locator(`[data-agent="${name}"][data-state="cancelled"]`).waitFor();
    }
    expect(await c.client.call('orchestrations.get', { orchestrationId: id })).toMatchObject({ state: 'cancelled' });
  });

  it('archives an ended run from its page or the list, and brings it back', async () => {
    const agents = [{ agentId: 'only', role: 'writer', task: '@report succeeded done' }];
    await create({ objective: 'Latest news', agents });
    const { id } = await create({ objective: 'Old news', agents });
    await c.client.call('orchestrations.start', { orchestrationId: id });
    const run = () => c.client.call('orchestrations.get', { orchestrationId: id });
    await c.until('the end', async () => (await run()).state === 'completed');
    const { page, screenshot } = await open({ path: `/runs/${id}` });
    await page.getByRole('button', { name: 'Archive', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Unarchive', exact: true }).waitFor();
    await state(page).getByText('Archived').waitFor();
    expect((await run()).archivedAt).not.toBeNull();
    await screenshot('runs-archived');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();

    await page.getByRole('link', { name: 'All runs' }).click();
    const link = page.getByRole('link', { name: /Old news/ });
    await link.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await link.waitFor({ state: 'detached' });
    const focused = () => page.evaluate(() => document.activeElement?.tagName);
    await expect.poll(focused, POLL).toBe('UL');
    await page.getByRole('button', { name: 'Archived', exact: true }).click();
    await link.waitFor();
    await screenshot('runs-archived-list');
    await link.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await link.waitFor({ state: 'detached' });
    expect((await run()).archivedAt).toBeNull();
    // The list of runs is empty and therefore hidden, so `main` has the focus.
    await page.getByText('No runs match').waitFor();
    await expect.poll(focused, POLL).toBe('MAIN');
  });

  it('filters the runs by text, which is part of the URL', async () => {
    await create({ objective: 'Measure the search' });
    await create({ objective: 'Draw the logo' });
    const { page, screenshot } = await open({ path: '/runs' });
    await page.getByRole('link', { name: /Draw the logo/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('SEARCH measure');
    await page.getByRole('link', { name: /Draw the logo/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /Measure the search/ }).waitFor();
    await screenshot('runs-filtered');
    // The first letters alone already hide the other run, and the URL follows the text after a moment.
    await expect.poll(() => page.url(), POLL).toContain('measure');
    await page.reload();
    await page.getByRole('link', { name: /Measure the search/ }).waitFor();
    expect(await page.getByRole('link', { name: /Draw the logo/ }).count()).toBe(0);
    const filter = page.getByRole('searchbox', { name: /^Filter by objective/ });
    expect(await filter.inputValue()).toBe('SEARCH measure');
    await filter.fill('nothing');
    await page.getByText('No runs match').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: /Draw the logo/ }).waitFor();
    expect(await filter.inputValue()).toBe('');
  });

  it('lists older runs on request', async () => {
    for (const objective of ['Older', 'Newer']) await create({ objective });
    const { page } = await open();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    // Reduces each page of the list to one run, because it would take long to create more than 500 runs.
    await page.route(/\/orchestrations\?/, (route) => {
      const url = route.request().url().replace('limit=500', 'limit=1').replace('skip=500', 'skip=1');
      return route.continue({ url });
    });
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('link', { name: /Newer/ }).waitFor();
    expect(await page.getByRole('link', { name: /Older/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show older runs' }).click();
    await page.getByRole('link', { name: /Older/ }).waitFor();
    expect(await page.getByRole('link', { name: /Newer/ }).count()).toBe(1);
  });

  it('repeats an integration that failed', async () => {
    const repositoryId = c.repository.id;
    await c.client.call('repositories.update', { repositoryId, checkCommand: 'false' });
    const agents = [{ agentId: 'only', role: 'writer', task: '@report succeeded done' }];
    const { id } = await create({ objective: 'Together', agents, integrate: { into: 'together', check: true } });
    await c.client.call('orchestrations.start', { orchestrationId: id });
    const { page } = await open({ path: `/runs/${id}` });
    const retry = page.getByRole('button', { name: 'Retry integration' });
    await retry.waitFor();
    await c.client.call('repositories.update', { repositoryId, checkCommand: 'true' });
    await retry.press('Enter');
    await state(page).getByText('Completed').waitFor();
    await retry.waitFor({ state: 'detached' });
  });

  it('runs a template after showing its plan', async () => {
    const { page, screenshot } = await open({ path: '/runs', width: 390, height: 844 });
    await page.getByRole('button', { name: 'New run' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Agents' }).click();
    await page.getByRole('option', { name: /^race/ }).click();
    await dialog.getByLabel('Task', { exact: true }).fill('@report succeeded first');
    await dialog.getByLabel('Start the run at once').uncheck();
    await dialog.getByRole('button', { name: 'Show plan' }).click();
    const plan = dialog.getByRole('region', { name: 'Plan' });
    await plan.getByText('Stage 2').waitFor();
    await plan.scrollIntoViewIfNeeded();
    await screenshot('runs-plan-phone');
    await dialog.getByRole('button', { name: 'Create run' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await row(page, 'judge').getByText('Waits for').waitFor();
    await screenshot('runs-table-phone');
  });

  it('renders only the visible agents of 200, and prints the frame time of moving and zooming', async () => {
    const agents = Array.from({ length: 200 }, (_, index) => ({
      agentId: `agent-${index}`,
      role: 'engineer',
      task: 'Wait',
      dependencies: index < 25 ? [] : [`agent-${index - 25}`, `agent-${(index * 7) % 25}`],
    }));
    const { id } = await create({ objective: 'Two hundred agents', strategy: 'adaptive', agents });
    const { page, context, screenshot } = await open({ path: `/runs/${id}` });
    await row(page, 'agent-0').first().waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(100);
    await page.keyboard.press('m');
    await page.locator('[data-agent="agent-0"]').waitFor();
    await screenshot('runs-200');
    const session = await context.newCDPSession(page);
    const cpu = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    };
    await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
    await session.send('Performance.enable');
    const before = await cpu();
    const frames = await page.evaluate(MOVE);
    const used = ((await cpu()) - before) * 1_000;
    console.log(`200 agents: ${frames.median.toFixed(1)} ms a frame, main thread ${(used / 20).toFixed(1)} ms of CPU`);
    for (let zoom = 0; zoom < 4; zoom += 1) await page.getByRole('button', { name: 'Zoom in' }).press('Enter');
    await expect.poll(() => page.locator('[data-agent]').count()).toBeLessThan(120);
  });

  it('follows a diamond of agents', async () => {
    const { id } = await create({
      strategy: 'adaptive',
      start: true,
      agents: [
        { agentId: 'plan', role: 'planner', task: '@report succeeded planned' },
        { agentId: 'build', role: 'engineer', task: '@await never', dependencies: ['plan'] },
        { agentId: 'docs', role: 'writer', task: '@report succeeded wrote', dependencies: ['plan'] },
        { agentId: 'review', role: 'reviewer', task: '@report succeeded fine', dependencies: ['build', 'docs'] },
      ],
    });
    const { page, screenshot } = await open({ path: `/runs/${id}` });
    await page.getByRole('heading', { name: 'Build the shop' }).waitFor();
    const node = (name: string) => page.locator(`[data-agent="${name}"]`);
    await page.locator('[data-agent="docs"][data-state="completed"]').waitFor();
    await page.locator('[data-agent="build"][data-state="running"]').waitFor();
    expect(await node('review').textContent()).toContain('Waits for build');
    await screenshot('runs-graph');
    // The pointer is outside the node, and moves over the backdrop of the open menu.
    await page.mouse.move(5, 5);
    await node('review').getByRole('button').focus();
    const menu = page.getByRole('button', { name: 'Actions for review' });
    await menu.waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => menu.evaluate((button) => button === document.activeElement), POLL).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Details' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => menu.evaluate((button) => button === document.activeElement), POLL).toBe(true);
    await page.keyboard.press('Tab');
    await menu.waitFor({ state: 'detached' });
    await node('review').getByRole('button').focus();
    await menu.waitFor();
    await node('review').getByRole('button').first().blur();
    await menu.waitFor({ state: 'detached' });
    await page.keyboard.press('t');
    await row(page, 'docs').getByText('completed').waitFor();
    expect(await row(page, 'review').textContent()).toContain('Waits for build');
    await page.keyboard.press('m');
    await node('build').getByRole('link').press('Enter');
    await page.getByRole('heading', { name: /^build: / }).waitFor();
    await page.getByRole('link', { name: 'Build the shop' }).press('Enter');
    await node('build').waitFor();
  });
});
