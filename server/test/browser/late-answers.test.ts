import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { rowOf } from './support/page.ts';
import { browserSuite } from './support/suite.ts';

/** Answers of the console that the test delivers to the page later. */
class HeldAnswers {
  readonly #delivering: ((answer: () => void) => void)[] = [];
  readonly #answers: (() => void)[] = [];

  /** Begins to hold back the answers to all calls to addresses that match `url`. */
  static async of(page: Page, url: RegExp): Promise<HeldAnswers> {
    const held = new HeldAnswers();
    await page.route(url, (route) => held.#hold(route));
    return held;
  }

  async #hold(route: Route): Promise<void> {
    const response = await route.fetch();
    await new Promise<void>((resolve) => {
      const next = this.#delivering.shift();
      if (next === undefined) this.#answers.push(resolve);
      else next(resolve);
    });
    // `fulfill` rejects if the page has cancelled the call.
    await route.fulfill({ response }).catch(() => {});
  }

  /** Waits until an answer is held back, and returns a function that delivers the oldest such answer. */
  async next(): Promise<() => void> {
    const answer = this.#answers.shift();
    return answer ?? new Promise((resolve) => this.#delivering.push(resolve));
  }
}

browserSuite('answers that arrive late', { allowed: /status of 404/ }, ({ c, open }) => {
  it('does not show an archived session again', async () => {
    const archived = await c.client.call('sessions.create', { cwd: c.folder, title: 'archived' });
    const other = await c.client.call('sessions.create', { cwd: c.folder, title: 'other' });
    const { page } = await open({ path: '/sessions' });
    await rowOf(page, 'archived').waitFor();
    const answers = await HeldAnswers.of(page, new RegExp(`/api/sessions/${archived.id}$`));
    await c.client.call('sessions.update', { sessionId: archived.id, title: 'renamed' });
    const deliver = await answers.next();
    await c.client.call('sessions.archive', { sessionId: archived.id });
    await rowOf(page, 'archived').waitFor({ state: 'detached' });
    deliver();
    // The page fetches this session only after it has stored the late answer.
    await c.client.call('sessions.update', { sessionId: other.id, title: 'last' });
    await rowOf(page, 'last').waitFor();
    expect(await rowOf(page, 'renamed').count()).toBe(0);
  });

  it('says that a session, a repository or a board was removed while its page was open', async () => {
    const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, title: 'removed' });
    const { page } = await open({ path: `/sessions/${sessionId}` });
    await page.getByRole('heading', { name: 'removed' }).waitFor();
    await page.getByLabel('Prompt', { exact: true }).fill('Not sent yet');
    await c.client.call('sessions.remove', { sessionId });
    await page.getByText('Session not found.').waitFor();
    await page.getByText('Not sent yet').waitFor();

    const { id: repositoryId } = await c.addRepository('leaving');
    await page.goto(`${c.baseUrl}/repositories/${repositoryId}`);
    await page.getByRole('heading', { name: 'leaving' }).waitFor();
    await c.client.call('repositories.remove', { repositoryId });
    await page.getByRole('link', { name: 'All repositories' }).waitFor();

    const { id: boardId } = await c.client.call('boards.create', { name: 'old board' });
    await page.goto(`${c.baseUrl}/boards/${boardId}`);
    await page.getByText('This board is empty').waitFor();
    await c.client.call('boards.remove', { boardId });
    await page.getByRole('button', { name: 'Try again' }).waitFor();
  });

  it('fetches a list again if it changed while it was being fetched, and shows each answer', async () => {
    const { repository } = c;
    const { jobId } = await c.client.call('worktrees.create', {
      repositoryId: repository.id,
      mode: 'custom',
      branch: 'work',
    });
    const worktree = await c.until('the worktree', async () => {
      const { data } = await c.client.call('worktrees.list', { repositoryId: repository.id });
      const job = await c.client.call('jobs.get', { jobId });
      return job.state === 'succeeded' && data.find(({ branch }) => branch === 'work');
    });
    const { page } = await open({ path: '/repositories' });
    await page.getByRole('link', { name: 'shop' }).first().waitFor();
    // Leaves these requests unanswered, because reading a worktree would cause further events.
    await page.route(/\/api\/worktrees\/[^?]+$/, () => {});
    const answers = await HeldAnswers.of(page, /\/branches\?/);
    await page.goto(`${c.baseUrl}/repositories/${repository.id}?tab=branches`);
    const first = await answers.next();
    const branch = (name: string) => page.getByRole('list', { name: 'Branches' }).getByText(name, { exact: true });
    /**
     * Renames a worktree, and waits until the page has received the new name. The rename also makes the page refetch
     * the branches.
     */
    const rename = async (name: string) => {
      const fetched = page.waitForResponse(
        async (response) => /\/worktrees\?/.test(response.url()) && (await response.text()).includes(name),
      );
      await c.client.call('worktrees.update', { worktreeId: worktree.id, name });
      await fetched;
    };
    c.git(['branch', 'branch-one']);
    await rename('name-one');
    first();
    (await answers.next())();
    await branch('branch-one').waitFor();
    c.git(['branch', 'branch-two']);
    await rename('name-two');
    const third = await answers.next();
    c.git(['branch', 'branch-three']);
    await rename('name-three');
    third();
    await branch('branch-two').waitFor();
    (await answers.next())();
    await branch('branch-three').waitFor();
  });
});
