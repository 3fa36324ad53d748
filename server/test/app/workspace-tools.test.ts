import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { openTools, refusal, type ToolClient } from '../support/calling.ts';

let c: InProcessApp;
let root: AgentHandle;
let tools: ToolClient;

beforeAll(async () => {
  c = await startTestApp();
  root = await startRoot(c);
  tools = await openTools(c, root.token, '?toolsets=all');
});
afterAll(async () => {
  await tools.close();
  await c.close();
});

let counter = 0;
const unique = (word: string) => {
  counter += 1;
  return `${word}-${counter}`;
};

/** Returns everything that creating a worktree adds to git: branches and worktrees. */
const traces = () => [c.git(['branch', '--format=%(refname:short)']), c.git(['worktree', 'list', '--porcelain'])];

describe('worktrees, repositories and tasks by the tools of agents', () => {
  const create = (branch: string, name?: string) =>
    tools.call('agor_worktrees_create', { repoId: c.repository.id, branch, ...(name === undefined ? {} : { name }) });

  it('a worktree with a new branch starts from the default branch and exists when the call returns', async () => {
    const branch = unique('fresh');
    const made = (await create(branch, 'Fresh')) as { entity_id: string; entity: { path: string } };
    const sha = c.git(['rev-parse', 'main']);
    expect(made).toMatchObject({
      created: true,
      entity: {
        worktree_id: made.entity_id,
        name: 'Fresh',
        branch,
        repo_id: c.repository.id,
        state: 'ready',
        git_state: { current_sha: sha, base_sha: sha },
      },
    });
    expect(c.git(['branch', '--show-current'], made.entity.path)).toBe(branch);
    writeFileSync(join(made.entity.path, 'new.txt'), 'new');
    const dirty = await tools.call('agor_worktrees_get', { worktreeId: made.entity_id });
    expect(dirty).toMatchObject({ worktree_id: made.entity_id, git_state: { current_sha: sha, has_changes: true } });
    expect(Object.keys(dirty)).toEqual(
      expect.arrayContaining(['worktree_id', 'name', 'path', 'branch', 'repo_id', 'git_state', 'created_at']),
    );
    c.git(['add', 'new.txt'], made.entity.path);
    c.git(['commit', '--quiet', '-m', 'New'], made.entity.path);
    const moved = c.git(['rev-parse', 'HEAD'], made.entity.path);
    expect(await tools.call('agor_worktrees_get', { worktreeId: made.entity_id })).toMatchObject({
      git_state: { current_sha: moved, base_sha: sha, has_changes: false },
    });
  });

  it('an existing branch is checked out as it is, once; a checked out one is rejected', async () => {
    const branch = unique('there');
    c.git(['branch', branch, 'main']);
    const [first, second] = await Promise.allSettled([create(branch), create(branch)]);
    const ends = [first, second].map((end) => (end.status === 'fulfilled' ? 'made' : end.reason.code)).sort();
    expect(ends).toEqual(['CONFLICT', 'made']);
    for (const taken of [branch, 'main']) {
      expect(await refusal(create(taken))).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(taken) });
    }
  });

  it('a repeated call with the same key returns the worktree of the first one', async () => {
    const args = { repoId: c.repository.id, branch: unique('keyed'), idempotencyKey: 'one-worktree' };
    const [first, second] = [
      await tools.call('agor_worktrees_create', args),
      await tools.call('agor_worktrees_create', args),
    ];
    // The console computes the git status anew for each response, so its `computed_at` differs.
    const untimed = JSON.parse(JSON.stringify(second), (key, value) =>
      key === 'computed_at' ? expect.any(String) : value,
    );
    expect(first).toEqual(untimed);
  });

  it.each(['-x', 'a..b', 'a b', ''])('branch %j is rejected without any effect', async (branch) => {
    const before = traces();
    expect(await refusal(create(branch))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/branch/),
    });
    expect(traces()).toEqual(before);
  });

  it("an agent cannot create a worktree in another session's repository", async () => {
    const other = await c.addRepository(unique('other'));
    const call = tools.call('agor_worktrees_create', { repoId: other.id, branch: 'mine' });
    expect(await refusal(call)).toMatchObject({ code: 'PERMISSION_DENIED', details: { repositoryId: other.id } });
  });

  it('the worktrees of a repository are those that git lists, in pages', async () => {
    const { total, data } = (await tools.call('agor_worktrees_list', { repoId: c.repository.id, limit: 500 })) as {
      total: number;
      data: { path: string; repo_id: string }[];
    };
    const known = c.git(['worktree', 'list', '--porcelain']).match(/(?<=^worktree ).*$/gm) ?? [];
    expect(data.map(({ path }) => path).sort()).toEqual([...known].sort());
    expect(data.every((row) => row.repo_id === c.repository.id)).toBe(true);
    const page = await tools.call('agor_worktrees_list', { repoId: c.repository.id, limit: 2, skip: 1 });
    expect(page).toEqual({ total, limit: 2, skip: 1, data: data.slice(1, 3) });
  });

  it('repositories are listed and returned', async () => {
    const { path, name, defaultBranch } = c.repository;
    const shown = await tools.call('agor_repos_get', { repoId: c.repository.id });
    expect(shown).toMatchObject({ repo_id: c.repository.id, name, path, default_branch: defaultBranch });
    const page = await tools.call('agor_repos_list', { limit: 1 });
    expect(page).toMatchObject({ limit: 1, skip: 0, data: [{ repo_id: c.repository.id }] });
  });

  it('tasks are listed newest first, returned in full, and cancelled once', async () => {
    const { entity_id } = await create(unique('tasks'));
    const worktreeId = String(entity_id);
    const { id: sessionId } = await root.client.call('sessions.create', { worktreeId, agentId: 'scripted' });
    const prompts = ['@sleep 600000', `${'long '.repeat(200)}`, 'last'];
    const ids: string[] = [];
    for (const prompt of prompts) ids.push((await root.client.call('sessions.prompt', { sessionId, prompt })).taskId);
    const page = (await tools.call('agor_tasks_list', { sessionId, limit: 2 })) as { data: Record<string, unknown>[] };
    expect(page).toMatchObject({
      total: 3,
      limit: 2,
      skip: 0,
      data: [
        { task_id: ids[2], status: 'queued', session_id: sessionId, prompt: 'last' },
        { task_id: ids[1], status: 'queued' },
      ],
    });
    expect(String(page.data[1]?.prompt).length).toBeLessThan(prompts[1]?.length ?? 0);
    expect(await tools.call('agor_tasks_get', { taskId: ids[1] })).toMatchObject({
      task_id: ids[1],
      prompt: prompts[1],
      session_id: sessionId,
      status: 'queued',
      error: null,
      ended_at: null,
    });
    expect(await tools.call('agor_tasks_cancel', { taskId: ids[1] })).toMatchObject({
      task_id: ids[1],
      status: 'cancelled',
      ended_at: expect.any(String),
    });
    expect(await refusal(tools.call('agor_tasks_cancel', { taskId: ids[1] }))).toMatchObject({ code: 'CONFLICT' });
    await c.client.call('sessions.stop', { sessionId });
  });
});
