import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQUASH_SEARCH_COMMITS, SQUASH_SEARCH_FILES } from '@agent-console/shared/limits/git';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { runSync } from '../support/run-sync.ts';

let c: InProcessApp;
let parent: AgentHandle;
beforeAll(async () => {
  c = await startTestApp();
  parent = await startRoot(c);
});
afterAll(() => c.close());

const get = (worktreeId: string) => c.client.call('worktrees.get', { worktreeId });
const git = (path: string, ...args: string[]) => c.git(args, path);

async function make(branch: string) {
  const fields = { repositoryId: c.repository.id, mode: 'custom', branch, wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', fields);
  if (worktree === undefined) throw new Error('was not waited for');
  return { worktreeId: worktree.id, path: worktree.path };
}

function commit(path: string, name: string, content: string): void {
  writeFileSync(join(path, name), content);
  git(path, 'add', '.');
  git(path, 'commit', '--quiet', '-m', `Change ${name}`);
}

/** Adds commits without changes to the branch `main`. */
function addEmptyCommits(count: number): void {
  const commits = Array.from({ length: count }, (_, at) => {
    const from = at === 0 ? 'from refs/heads/main^0\n' : '';
    return `commit refs/heads/main\ncommitter Test <test@example.com> 0 +0000\ndata 0\n${from}\n`;
  });
  const file = join(c.home, 'commits');
  writeFileSync(file, commits.join(''));
  runSync('sh', ['-c', `git fast-import --quiet < '${file}'`], { cwd: c.repository.path, env: process.env });
}

describe('the git status of a worktree', () => {
  it('counts changes and commits, and finds conflicts with the base', async () => {
    const { worktreeId, path } = await make('counted');
    const unchanged = { base: 'main', dirtyFiles: 0, ahead: 0, behind: 0, upstream: null, merged: false };
    expect((await get(worktreeId)).gitStatus).toMatchObject({ ...unchanged, conflictsWithBase: false, check: null });
    commit(path, 'counted.txt', 'mine\n');
    writeFileSync(join(path, 'new.txt'), '');
    expect((await get(worktreeId)).gitStatus).toMatchObject({ dirtyFiles: 1, ahead: 1, conflictsWithBase: false });
    commit(c.repository.path, 'counted.txt', 'theirs\n');
    expect((await get(worktreeId)).gitStatus).toMatchObject({ ahead: 1, behind: 1, conflictsWithBase: true });
    const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
    expect(data.find(({ id }) => id === worktreeId)?.gitStatus).toMatchObject({ conflictsWithBase: true });
  });

  it('measures its changes since the merge base, committed or not, and shows them on its session', async () => {
    const { worktreeId, path } = await make('measured');
    const { id: sessionId } = await c.client.call('sessions.create', { worktreeId, agentId: 'scripted' });
    expect((await get(worktreeId)).gitStatus?.changes).toEqual({ files: 0, additions: 0, deletions: 0 });
    commit(path, 'measured.txt', 'one\ntwo\n');
    commit(c.repository.path, 'elsewhere.txt', 'not part of it\n');
    writeFileSync(join(path, 'measured.txt'), 'one\nthree\nfour\n');
    mkdirSync(join(path, 'folder'));
    writeFileSync(join(path, 'folder', 'empty.txt'), '');
    writeFileSync(join(path, 'folder', 'untracked.txt'), 'a\nb\n');
    writeFileSync(join(path, 'binary'), Buffer.from([0, 1, 2]));
    const changes = { files: 4, additions: 5, deletions: 0 };
    expect((await get(worktreeId)).gitStatus?.changes).toEqual(changes);
    const { files } = await c.client.call('worktrees.diff', { worktreeId });
    expect(files.reduce((sum, { additions }) => sum + additions, 0)).toBe(changes.additions);
    const shown = await c.client.call('sessions.get', { sessionId });
    expect(shown.gitState?.changes).toEqual(changes);
    expect(shown.gitState?.work).toEqual({
      base: 'main',
      dirtyFiles: 4,
      ahead: 1,
      behind: 1,
      merged: false,
      check: null,
    });
  });

  it.each(['merge', 'squash', 'rebase'] as const)(
    'is merged after a %s, also if the lines changed later',
    async (strategy) => {
      const { worktreeId, path } = await make(`by-${strategy}`);
      commit(c.repository.path, `base-${strategy}.txt`, '');
      commit(path, `${strategy}.txt`, 'one\n');
      commit(path, `${strategy}.txt`, 'one\ntwo\n');
      expect((await get(worktreeId)).gitStatus).toMatchObject({ merged: false });
      await c.client.call('worktrees.integrate', { worktreeId, strategy, wait: true });
      expect((await get(worktreeId)).gitStatus).toMatchObject({ merged: true, conflictsWithBase: false });
      commit(c.repository.path, `${strategy}.txt`, 'one\nthree\n');
      expect((await get(worktreeId)).gitStatus).toMatchObject({ merged: true });
    },
  );

  it('leaves open whether work is merged that is not searched for because the work or the base is too large', async () => {
    const large = await make('large');
    commit(large.path, 'large.txt', 'zero\n');
    for (let count = 0; count <= SQUASH_SEARCH_FILES; count += 1) {
      writeFileSync(join(large.path, `large-${count}.txt`), 'one\n');
    }
    commit(large.path, 'large.txt', 'one\n');
    await c.client.call('worktrees.integrate', { worktreeId: large.worktreeId, strategy: 'squash', wait: true });
    expect((await get(large.worktreeId)).gitStatus).toMatchObject({ merged: true });
    commit(c.repository.path, 'large.txt', 'two\n');
    const unknown = { merged: null, conflictsWithBase: true };
    expect((await get(large.worktreeId)).gitStatus).toMatchObject(unknown);

    const behind = await make('behind');
    commit(behind.path, 'behind.txt', 'three\n');
    await c.client.call('worktrees.integrate', { worktreeId: behind.worktreeId, strategy: 'squash', wait: true });
    commit(c.repository.path, 'behind.txt', 'four\n');
    expect((await get(behind.worktreeId)).gitStatus).toMatchObject({ merged: true });
    addEmptyCommits(SQUASH_SEARCH_COMMITS);
    expect((await get(behind.worktreeId)).gitStatus).toMatchObject(unknown);

    const input = { repositoryId: c.repository.id, worktreeIds: [large.worktreeId, behind.worktreeId], dryRun: true };
    const { results } = await c.client.call('repositories.prune', input);
    expect(results.map(({ removed, error }) => ({ removed, error }))).toEqual([
      { removed: false, error: expect.stringMatching(/^It is unknown whether the work in worktree .* is merged/) },
      { removed: false, error: expect.stringMatching(/^It is unknown whether the work in worktree .* is merged/) },
    ]);
  });
});

describe('overlaps', () => {
  async function delegate(branch: string, prompt: string) {
    const made = await parent.client.call('delegations.create', { branch, prompt, agentId: 'scripted' });
    await c.client.call('sessions.wait', { sessionId: made.sessionId, timeoutSeconds: 45 });
    return made;
  }
  const worktreeOf = async ({ sessionId }: { sessionId: string }) =>
    (await c.client.call('sessions.get', { sessionId })).worktreeId ?? '';
  const overlaps = async () => (await c.client.call('repositories.overlaps', { repositoryId: c.repository.id })).data;

  it('names the files that two worktrees change, and sends the parent of both one notice of a conflict', async () => {
    const lines = (first: string, last: string) => [first, ...'bcdefghijk', last].join('\\n');
    commit(c.repository.path, 'apart.txt', lines('a', 'l').replaceAll('\\n', '\n'));
    const write = (first: string, last: string) => `@write apart.txt ${lines(first, last)}`;
    const one = await delegate('one', `@write both.txt one\n${write('one', 'l')}\n@commit One\n@report succeeded done`);
    const two = await delegate(
      'two',
      `@write both.txt two\n${write('a', 'two')}\n@write only.txt two\n@report succeeded done`,
    );
    const told = async () => {
      const { data } = await c.client.call('sessions.notices', { sessionId: parent.sessionId });
      return data.filter(({ kind }) => kind === 'conflict');
    };
    const notice = await c.until('the notice', async () => (await told())[0]);
    expect(notice.summary).toMatch(/conflict with those of session .* in both\.txt\./);
    expect([one.sessionId, two.sessionId]).toContain(notice.about.sessionId);
    const files = [
      { path: 'both.txt', kind: 'conflict' },
      { path: 'apart.txt', kind: 'both-changed' },
    ];
    const worktreeIds = [await worktreeOf(one), await worktreeOf(two)];
    expect(await overlaps()).toMatchObject([{ worktreeIds, files }]);

    const found = (await c.events(0, ({ type }) => type === 'overlap.found')).at(-1);
    // The first restart makes the server forget its comparisons of the worktrees. The second restart waits until the
    // server has compared them again and has stored all resulting events.
    await c.restart();
    await delegate('unchanged', '@report succeeded nothing to do');
    await c.restart();
    const { data: later } = await c.client.call('events.list', { after: found?.seq ?? 0, limit: 500 });
    expect(later.filter(({ type }) => type === 'overlap.resolved')).toEqual([]);
    expect(await overlaps()).toMatchObject([{ worktreeIds, files }]);
    expect(await told()).toHaveLength(1);

    for (const { sessionId } of [one, two]) await c.client.call('sessions.stop', { sessionId });
    await c.client.call('worktrees.remove', { worktreeId: worktreeIds[1] ?? '', force: true });
    expect(await overlaps()).toEqual([]);
  });

  it('are reported once as unsupported if git is too old', async () => {
    const programs = join(c.home, 'old-git');
    mkdirSync(programs);
    const real = runSync('sh', ['-c', 'command -v git'], { cwd: c.home, env: process.env }).trim();
    const refuse = `case "$*" in *'merge-tree --write-tree'*) echo 'usage: git merge-tree' >&2; exit 129;; esac`;
    writeFileSync(join(programs, 'git'), `#!/bin/sh\n${refuse}\nexec '${real}' "$@"\n`, { mode: 0o755 });
    const old = await startTestApp({ env: { PATH: `${programs}:${process.env.PATH}` } });
    try {
      const fields = { repositoryId: old.repository.id, agentId: 'scripted' };
      for (const branch of ['one', 'two', 'three']) {
        const prompt = `@write same.txt ${branch}\n@report succeeded done`;
        const { sessionId } = await old.client.call('delegations.create', { ...fields, branch, prompt });
        await old.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
      }
      const listed = await refusal(old.client.call('repositories.overlaps', { repositoryId: old.repository.id }));
      expect(listed).toMatchObject({ code: 'UNSUPPORTED', message: expect.stringContaining('Install git 2.38') });
      // The restart waits for the comparisons after the ended tasks.
      await old.restart();
      expect(
        readFileSync(join(old.home, 'server.log'), 'utf8')
          .split('\n')
          .filter((line) => line !== ''),
      ).toEqual([expect.stringContaining('Install git 2.38')]);
    } finally {
      await old.close();
    }
  });
});
