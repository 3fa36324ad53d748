import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
 * Makes git wait while its filter `slow` writes a file with the content `after`. Git then creates the file `started`,
 * and continues once the file `go` exists.
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

/** Returns all refs except recovery refs. */
const refs = () =>
  c
    .git(['for-each-ref', '--format=%(refname)'])
    .split('\n')
    .filter((ref) => !ref.startsWith('refs/agent-console/recovery/'));

const ended = (jobId: string) =>
  c.until('the end of the job', async () => {
    const found = await c.client.call('jobs.get', { jobId });
    return found.state !== 'running' && found;
  });

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
  const job = await ended(jobId);
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

it.each(['branch', 'base, which it fast-forwards first,'])(
  'an update from the base that is interrupted while git writes the files of the %s is completed once',
  async (cut) => {
    const { started, go } = slowGit();
    const main = c.repository.path;
    const { id: worktreeId, path } = await makeWorktree();
    writeFileSync(join(path, 'mine.txt'), 'mine\n');
    c.git(['add', '.'], path);
    c.git(['commit', '--quiet', '-m', 'Mine'], path);
    for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(main, name), 'after\n');
    c.git(['add', '.'], main);
    c.git(['commit', '--quiet', '-m', 'After'], main);
    if (cut !== 'branch') {
      const remote = join(c.folder, 'remote.git');
      c.git(['clone', '--quiet', '--bare', main, remote], c.folder);
      c.git(['remote', 'add', 'origin', remote], main);
      c.git(['fetch', '--quiet', 'origin'], main);
      c.git(['branch', '--quiet', '--set-upstream-to=origin/main', 'main'], main);
      c.git(['reset', '--quiet', '--hard', 'HEAD~1'], main);
    }
    writeFileSync(join(main, '.git/info/attributes'), 'b.txt filter=slow\n');
    const before = refs();
    const { jobId } = await c.client.call('worktrees.updateFromBase', { worktreeId });
    await c.until('half of the files', async () => existsSync(started));
    await killServer(c);
    writeFileSync(go, '');
    const job = await ended(jobId);
    expect(job).toMatchObject({ state: 'succeeded', result: { conflicts: [], base: 'main' } });
    expect(c.git(['rev-parse', 'HEAD'], path)).toBe(job.result?.commit);
    expect(c.git(['log', '--format=%s', 'main..'], path)).toBe('Mine');
    expect(c.git(['log', '-1', '--format=%s', 'main'], path)).toBe('After');
    expect(c.git(['merge-base', 'main', 'HEAD'], path)).toBe(c.git(['rev-parse', 'main'], main));
    for (const folder of [path, main]) expect(c.git(['status', '--porcelain'], folder)).toBe('');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) expect(readFileSync(join(path, name), 'utf8')).toBe('after\n');
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({
      gitState: { currentSha: job.result?.commit },
    });
    // The interrupted integration left no scratch worktree, lock or ref. The restarted server may have saved
    // half-written files in a recovery ref, which `refs` does not list.
    expect(c.git(['worktree', 'list', '--porcelain'], main).match(/^worktree /gm)).toHaveLength(2);
    expect(
      readdirSync(c.git(['rev-parse', '--absolute-git-dir'], path)).filter((name) => name.endsWith('.lock')),
    ).toEqual([]);
    expect(refs()).toEqual(before);
  },
);

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
