import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { atMost } from '../support/aims.mjs';
import { startConsole } from '../support/product.mjs';
import { git, makeRepository } from '../support/repository.mjs';

const FILES = 10_000;
const CHANGED = 100;

/**
 * Creates a repository in which `main` and the branch `work` each have a new commit. `work` is checked out in a
 * worktree.
 */
async function diverge(path, worktree) {
  await makeRepository(path, FILES);
  await git(path, 'config', 'user.name', 'Bench');
  await git(path, 'config', 'user.email', 'bench@example.com');
  await git(path, 'worktree', 'add', '--quiet', '-b', 'work', worktree);
  await change(worktree, 0);
  await change(path, 1);
}

/**
 * Appends a line to every hundredth file, beginning with number `offset`, and commits the changes. Each folder contains
 * one such file.
 */
async function change(cwd, offset) {
  for (let n = offset; n < FILES; n += FILES / CHANGED) {
    appendFileSync(join(cwd, `part-${String(Math.floor(n / 100)).padStart(3, '0')}`, `file-${n}.txt`), 'changed\n');
  }
  await git(cwd, 'commit', '--quiet', '--all', '-m', 'Change');
}

/** The git commands that a person would run for each strategy, to integrate the branch into the checked out `main`. */
const PLAIN = {
  merge: (path) => git(path, 'merge', '--quiet', '--no-ff', '--no-edit', 'work'),
  squash: async (path) => {
    await git(path, 'merge', '--quiet', '--squash', 'work');
    await git(path, 'commit', '--quiet', '-m', 'Squash');
  },
  rebase: async (path, worktree) => {
    await git(worktree, 'rebase', '--quiet', 'main');
    await git(path, 'merge', '--quiet', '--ff-only', 'work');
  },
};

async function timed(work) {
  const since = performance.now();
  const result = await work();
  return { ms: performance.now() - since, result };
}

/** Row 17 of the results: integrating a branch, compared with the git commands that a person would type. */
export async function measureIntegrate({ product, quick }) {
  const console = await startConsole(product);
  const [path, rawPath] = [join(console.folder, 'ours'), join(console.folder, 'raw')];
  const [worktree, rawWorktree] = [join(console.folder, 'ours-work'), join(console.folder, 'raw-work')];
  await diverge(path, worktree);
  await diverge(rawPath, rawWorktree);
  const { stdout } = await git(rawPath, 'rev-parse', 'main', 'work');
  const [main, work] = stdout.trim().split('\n');
  const { id } = await console.api.call('POST', '/repositories', { path });
  const { data } = await console.api.call('GET', `/repositories/${id}/worktrees`);
  const worktreeId = data.find(({ branch }) => branch === 'work').id;
  const rows = [];
  for (const strategy of Object.keys(PLAIN)) {
    const ours = [];
    const limit = [];
    for (let round = 0; round < (quick ? 3 : 9); round += 1) {
      const raw = await timed(() => PLAIN[strategy](rawPath, rawWorktree));
      await git(rawPath, 'reset', '--quiet', '--hard', main);
      await git(rawWorktree, 'reset', '--quiet', '--hard', work);
      const call = () => console.api.call('POST', `/worktrees/${worktreeId}/integrate`, { strategy, wait: true });
      const { ms, result } = await timed(call);
      if (result.job.state !== 'succeeded') throw new Error(JSON.stringify(result.job));
      await console.api.call('POST', `/integrations/${result.job.result.integrationId}/undo`);
      // The first round only fills caches, so it is not counted.
      if (round === 0) continue;
      ours.push(ms);
      limit.push(raw.ms);
    }
    const name = `integration (${strategy}) in a repository of ${FILES} files`;
    rows.push({ name, unit: 'ms', ours, limit, against: 'the git commands', aim: atMost(1.2, 100) });
  }
  await console.close();
  return rows;
}
