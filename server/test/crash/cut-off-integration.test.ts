import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { killServer } from '../e2e/support/kill.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
beforeEach(async () => {
  c = await startConsole();
});
afterEach(() => c.close());

/**
 * Makes git wait while it writes a file with the content `after`, if the attributes name the filter `slow`. Returns the
 * file that appears meanwhile, and the one that lets git continue.
 */
function slowGit() {
  const started = join(c.folder, 'started');
  const go = join(c.folder, 'go');
  const smudge = `text=$(cat); case "$text" in after) touch '${started}'; while [ ! -e '${go}' ]; do sleep 0.02; done;; esac; printf '%s\\n' "$text"`;
  const config = join(c.env.HOME ?? '', '.gitconfig');
  const before = existsSync(config) ? readFileSync(config, 'utf8') : '';
  writeFileSync(config, `${before}\n[filter "slow"]\n\tsmudge = ${JSON.stringify(smudge)}\n`);
  return { started, go };
}

async function makeWorktree() {
  const fields = { repositoryId: c.repository.id, mode: 'custom', name: 'Work', branch: 'work', wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', fields);
  if (worktree === undefined) throw new Error('was not waited for');
  return worktree;
}

it('an integration interrupted while git writes the files is completed once by the next server', async () => {
  const { started, go } = slowGit();
  const main = c.repository.path;
  writeFileSync(join(main, 'b.txt'), 'before\n');
  c.git(['add', '.'], main);
  c.git(['commit', '--quiet', '-m', 'Before'], main);
  const worktree = await makeWorktree();
  for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(worktree.path, name), 'after\n');
  c.git(['add', '.'], worktree.path);
  c.git(['commit', '--quiet', '-m', 'After'], worktree.path);
  writeFileSync(join(main, '.git/info/attributes'), 'b.txt filter=slow\n');
  mkdirSync(join(main, '.git/hooks'), { recursive: true });
  writeFileSync(join(main, '.git/hooks/commit-msg'), '#!/bin/sh\necho "Checked: yes" >> "$1"\n', { mode: 0o755 });
  const cleanup = { removeWorktree: true, deleteBranch: true };
  const { jobId } = await c.client.call('worktrees.integrate', { worktreeId: worktree.id, cleanup });
  await c.until('half of the files', async () => existsSync(started));
  await killServer(c);
  writeFileSync(go, '');
  const job = await c.until('the end of the job', async () => {
    const found = await c.client.call('jobs.get', { jobId });
    return found.state !== 'running' && found;
  });
  expect(job).toMatchObject({
    state: 'succeeded',
    result: { cleanup: { worktreeRemoved: true, branchDeleted: true } },
  });
  expect(c.git(['rev-parse', 'main'], main)).toBe(job.result?.commit);
  expect(c.git(['log', '-1', '--format=%B', 'main'], main)).toBe("Merge branch 'work' into main\nChecked: yes");
  expect(c.git(['status', '--porcelain'], main)).toBe('');
  expect(readFileSync(join(main, 'b.txt'), 'utf8')).toBe('after\n');
  expect(existsSync(join(main, '.git/index.lock'))).toBe(false);
});

it('changes of which only a part was discarded are brought back without naming their recovery', async () => {
  const { started, go } = slowGit();
  const main = c.repository.path;
  for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(main, name), 'after\n');
  c.git(['add', '.'], main);
  c.git(['commit', '--quiet', '-m', 'Files'], main);
  const { id: worktreeId, path } = await makeWorktree();
  const read = (name: string) => (existsSync(join(path, name)) ? readFileSync(join(path, name), 'utf8') : null);
  writeFileSync(join(main, '.git/info/attributes'), 'b.txt filter=slow\n');
  const names = ['a.txt', 'b.txt', 'c.txt', 'new.txt'];
  writeFileSync(join(path, 'earlier.txt'), '');
  await c.client.call('worktrees.discard', { worktreeId });
  for (const name of names) writeFileSync(join(path, name), `mine ${name}\n`);
  const discarding = c.client.call('worktrees.discard', { worktreeId }).catch(() => undefined);
  await c.until('half of the files', async () => existsSync(started));
  await killServer(c);
  writeFileSync(go, '');
  await discarding;
  await c.client.call('worktrees.undoDiscard', { worktreeId });
  expect(names.map(read)).toEqual(names.map((name) => `mine ${name}\n`));
  expect(read('earlier.txt')).toBe(null);
  c.git(['add', '.'], path);
});
