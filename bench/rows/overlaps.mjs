import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { medianAtMost } from '../support/aims.mjs';
import { pause } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';
import { git, makeRepository } from '../support/repository.mjs';

const WORKTREES = 50;
const FILES = 1_000;
const MOST_MS = 1_000;
/** Milliseconds after which the console compares a worktree again: OVERLAP_INTERVAL_MS and a margin. */
const INTERVAL_MS = 10_500;

const change = (worktree, file) => appendFileSync(join(worktree, `part-000/file-${file}.txt`), 'changed\n');

async function overlapsOf(console, id) {
  const since = performance.now();
  const { total } = await console.api.call('GET', `/repositories/${id}/overlaps?limit=500`);
  return { ms: performance.now() - since, total };
}

/** Row 18 of the results: time to find the overlaps of many worktrees after the files of one have changed. */
export async function measureOverlaps({ product, quick }) {
  const console = await startConsole(product);
  const path = join(console.folder, 'repository');
  await makeRepository(path, FILES);
  const worktrees = [];
  for (let n = 0; n < WORKTREES; n += 1) {
    const worktree = join(console.folder, `work-${n}`);
    await git(path, 'worktree', 'add', '--quiet', '-b', `work-${n}`, worktree);
    // Each file is changed in two worktrees. One of them commits the change, the other does not.
    change(worktree, Math.floor(n / 2));
    if (n % 2 === 0) {
      await git(worktree, '-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '-qam', 'Change');
    }
    worktrees.push(worktree);
  }
  const { id } = await console.api.call('POST', '/repositories', { path });
  await console.api.call('GET', `/repositories/${id}/worktrees`);
  const first = await overlapsOf(console, id);
  if (first.total !== WORKTREES / 2) throw new Error(`${first.total} overlaps instead of ${WORKTREES / 2}`);
  const ours = [];
  const limit = [];
  for (let round = 0; round < (quick ? 2 : 5); round += 1) {
    await pause(INTERVAL_MS);
    const since = performance.now();
    for (const worktree of worktrees) await git(worktree, 'status', '--porcelain');
    limit.push(performance.now() - since);
    change(worktrees[0], 10 + round);
    const { ms, total } = await overlapsOf(console, id);
    // Two other worktrees have changed the file that this round changed, so each round adds two overlaps.
    if (total !== first.total + 2 * (round + 1)) throw new Error(`${total} overlaps in round ${round}`);
    ours.push(ms);
  }
  await console.close();
  return [
    {
      name: `overlaps of ${WORKTREES} worktrees of ${FILES} files after the files of one changed`,
      unit: 'ms',
      ours,
      limit,
      against: '`git status` in each',
      aim: medianAtMost(MOST_MS),
    },
    { name: 'first comparison of these worktrees', unit: 'ms', ours: [first.ms] },
  ];
}
