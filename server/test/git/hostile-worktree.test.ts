import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Checkout } from '../../src/ports/checkout.ts';
import { code, createFixture, type Fixture, failure, gitThatFirst, until } from './fixture.ts';

let fixture: Fixture;
let tree: string;
let commonDir: string;
let checkout: Checkout;

/** A git directory in which every setting that can name a program names one that creates the file `canary`. */
let hostile: string;
const ran = () => existsSync(fixture.path('canary'));

function hostileConfig(): string {
  const program = fixture.path('attack.sh');
  return [
    '[core]',
    `\tfsmonitor = ${program}`,
    `\tsshCommand = ${program}`,
    `\talternateRefsCommand = ${program}`,
    `\thooksPath = ${fixture.path('hooks')}`,
    `[filter "x"]\n\tclean = ${program}\n\tsmudge = ${program}\n\trequired = true`,
    `[diff]\n\texternal = ${program}`,
    `[diff "x"]\n\ttextconv = ${program}\n\tcommand = ${program}`,
    `[merge "x"]\n\tdriver = ${program}`,
    `[gpg]\n\tprogram = ${program}`,
    '[commit]\n\tgpgSign = true\n[log]\n\tshowSignature = true',
    `[uploadpack]\n\tpackObjectsHook = ${program}`,
    `[credential]\n\thelper = ${program}`,
    '',
  ].join('\n');
}

beforeEach(async () => {
  fixture = createFixture();
  tree = fixture.path('trees/one');
  commonDir = path.join(fixture.repository, '.git');
  checkout = fixture.checkout(tree, 'one');
  hostile = fixture.path('hostile');
  writeFileSync(fixture.path('attack.sh'), `#!/bin/sh\n: > '${fixture.path('canary')}'\nexec cat\n`);
  chmodSync(fixture.path('attack.sh'), 0o755);
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
    mkdirSync(fixture.path('hooks'), { recursive: true });
    cpSync(fixture.path('attack.sh'), fixture.path('hooks', hook));
  }
  await fixture.git.addWorktree(checkout, { startPoint: 'main' });
  cpSync(commonDir, hostile, { recursive: true });
  appendFileSync(path.join(hostile, 'config'), hostileConfig());
  fixture.write('.gitattributes', '* filter=x diff=x merge=x\n', tree);
  fixture.write('readme.md', 'changed by the agent\n', tree);
  // The content is unchanged, but because of the new mtime, git has to read the file through its filters to compare it.
  utimesSync(path.join(tree, 'src/app.ts'), 1, 1);
});
afterEach(() => fixture.remove());

const pipeAt = (at: string) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', at]);
const admin = (name: string) => path.join(commonDir, 'worktrees/one', name);

/** The ways in which an agent that may write in the repository's git directory can make git run its programs. */
const attacks: Record<string, () => void> = {
  'its common directory': () => writeFileSync(admin('commondir'), `${hostile}\n`),
  'settings of the worktree alone': () => {
    fixture.sh(['config', 'extensions.worktreeConfig', 'true']);
    writeFileSync(admin('config.worktree'), hostileConfig());
  },
  'a repository inside that git takes for a submodule': () => {
    const inner = path.join(tree, 'inner');
    fixture.sh(['init', '--quiet', inner], fixture.root);
    fixture.write('file', 'inner\n', inner);
    const sha = fixture.commit('Inner', inner);
    fixture.write('.gitattributes', '* filter=x\n', inner);
    utimesSync(path.join(inner, 'file'), 1, 1);
    appendFileSync(path.join(inner, '.git/config'), hostileConfig());
    fixture.sh(['update-index', '--add', '--cacheinfo', `160000,${sha},inner`], tree);
  },
};

async function everything(): Promise<void> {
  const { git, row } = fixture;
  const { currentSha } = await git.state(fixture.checkout(fixture.repository));
  expect(await git.state(checkout)).toEqual({ currentSha, branch: 'one', hasChanges: true });
  const { files } = await git.diff(checkout, 'main');
  expect(files.map((file) => file.path)).toEqual(expect.arrayContaining(['readme.md', '.gitattributes']));
  expect(files.map((file) => file.path)).not.toContain('src/app.ts');
  const risk = await git.removalRisk(checkout);
  expect(risk).toMatchObject({ uncommitted: expect.arrayContaining(['readme.md']), unpushed: [] });
  const { ref } = await git.saveRecovery(checkout, 'one');
  await git.inspect(tree).catch(() => {});
  await git.listWorktrees(row);
  await git.branches(row);
  await git.removeWorktree(checkout);
  await git.restoreWorktree(checkout, ref);
  expect(await git.state(checkout)).toEqual({ currentSha, branch: 'one', hasChanges: true });
  await git.addWorktree(fixture.checkout(fixture.path('trees/two'), 'two'), { startPoint: 'one' });
  await git.discardWorktree(checkout, { deleteBranch: true });
}

describe('a worktree whose agent wrote into its git directory', () => {
  it.each(Object.keys(attacks))('runs no program named in %s', async (name) => {
    attacks[name]?.();
    await everything();
    expect(ran()).toBe(false);
  });

  it.each(Object.keys(attacks))('would make a plain git run the program named in %s', async (name) => {
    attacks[name]?.();
    fixture.sh(['status', '--ignore-submodules=none'], tree);
    expect(ran()).toBe(true);
  });

  it('refuses a worktree that points to another git directory, and runs no program named there', async () => {
    writeFileSync(path.join(tree, '.git'), `gitdir: ${hostile}/worktrees/one\n`);
    writeFileSync(path.join(hostile, 'worktrees/one/commondir'), `${hostile}\n`);
    expect(await code(fixture.git.state(checkout))).toBe('CONFLICT');
    expect(await code(fixture.git.diff(checkout, 'main'))).toBe('CONFLICT');
    expect(await code(fixture.git.removalRisk(checkout))).toBe('CONFLICT');
    expect(await code(fixture.git.saveRecovery(checkout, 'one'))).toBe('CONFLICT');
    expect(await code(fixture.git.removeWorktree(checkout))).toBe('CONFLICT');
    await fixture.git.inspect(tree);
    expect(ran()).toBe(false);
    fixture.sh(['status'], tree);
    expect(ran()).toBe(true);
  });

  it("does not block on a pipe in place of one of git's files", async () => {
    for (const name of ['HEAD', 'index']) {
      rmSync(admin(name));
      pipeAt(admin(name));
    }
    expect(await code(fixture.git.state(checkout))).toBe('GIT_FAILED');
    rmSync(path.join(commonDir, 'refs/heads/one'));
    pipeAt(path.join(commonDir, 'refs/heads/one'));
    expect(await fixture.git.branchExists(fixture.row, 'one')).toBe(false);
  });
});

describe('the git directory of a worktree', () => {
  it('is the one that git created for it, even if another worktree has the same name', async () => {
    const namesake = fixture.path('elsewhere/one');
    const other = fixture.checkout(namesake, 'namesake');
    await fixture.git.addWorktree(other, { startPoint: 'main' });
    const made = await fixture.git.gitDir(other);
    expect(made).toBe(fixture.sh(['rev-parse', '--absolute-git-dir'], namesake));
    expect(path.basename(made)).not.toBe('one');
    expect(await fixture.git.gitDir(checkout)).toBe(path.join(commonDir, 'worktrees/one'));
    expect(await fixture.git.gitDir(fixture.checkout(fixture.repository))).toBe(commonDir);

    writeFileSync(path.join(tree, '.git'), `gitdir: ${made}\n`);
    expect(await code(fixture.git.gitDir(checkout))).toBe('CONFLICT');
    expect(await code(fixture.git.state(checkout))).toBe('CONFLICT');
    rmSync(path.join(tree, '.git'));
    symlinkSync('.git', path.join(tree, '.git'));
    expect(await code(fixture.git.gitDir(checkout))).toBe('NOT_FOUND');
  });

  it('may be reached through links, as a whole repository may', async () => {
    symlinkSync(fixture.path('trees'), fixture.path('link'));
    const linked = fixture.checkout(fixture.path('link/one'), 'one');
    expect(await fixture.git.gitDir(linked)).toBe(path.join(commonDir, 'worktrees/one'));
  });
});

describe('a new branch', () => {
  const add = (branch: string) =>
    fixture.git.addWorktree(fixture.checkout(fixture.path('trees/new'), branch), { startPoint: 'main' });

  it.each([
    ['a folder of branches', 'refs/heads/planted', 'planted/new'],
    ['the branch', 'refs/heads/planted', 'planted'],
    ['a folder of logs', 'logs/refs/heads/planted', 'planted/deep/new'],
    ['its log', 'logs/refs/heads/planted', 'planted'],
  ])('is not written through a link in place of %s', async (_what, link, branch) => {
    const outside = fixture.path('outside');
    mkdirSync(outside);
    const target = branch === 'planted' ? path.join(outside, 'file') : outside;
    const planted = path.join(commonDir, link);
    mkdirSync(path.dirname(planted), { recursive: true });
    symlinkSync(target, planted);
    const refused = await failure(add(branch));
    expect(refused).toMatchObject({ code: 'CONFLICT', details: { branch, path: planted } });
    expect(refused.message).toContain(planted);
    expect(readdirSync(outside)).toEqual([]);
    expect(readlinkSync(planted)).toBe(target);
    expect(existsSync(fixture.path('trees/new'))).toBe(false);
  });

  it('is written through the link by a plain git', () => {
    mkdirSync(fixture.path('outside'));
    symlinkSync(fixture.path('outside'), path.join(commonDir, 'refs/heads/planted'));
    fixture.sh(['branch', 'planted/new', 'main']);
    expect(readdirSync(fixture.path('outside'))).toEqual(['new']);
  });

  it('is created if the parents of the branch folders are links of the user', async () => {
    for (const name of ['refs', 'logs']) {
      renameSync(path.join(commonDir, name), fixture.path(name));
      symlinkSync(fixture.path(name), path.join(commonDir, name));
    }
    await add('new');
    expect(existsSync(fixture.path('refs/heads/new'))).toBe(true);
  });

  it('is not deleted with its worktree if its path has become a link', async () => {
    await add('folder/new');
    renameSync(path.join(commonDir, 'refs/heads/folder'), fixture.path('moved'));
    symlinkSync(fixture.path('moved'), path.join(commonDir, 'refs/heads/folder'));
    const added = fixture.checkout(fixture.path('trees/new'), 'folder/new');
    await fixture.git.discardWorktree(added, { deleteBranch: true });
    expect(readdirSync(fixture.path('moved'))).toEqual(['new']);
    expect(existsSync(added.worktree.path)).toBe(false);
  });
});

describe('a view of a checkout', () => {
  it('needs one private folder, which is deleted afterwards, even if the server died meanwhile', async () => {
    const views = fixture.path('views');
    const waiting = `case "$*" in *status*) : > '${fixture.path('waits')}'; cat '${fixture.path('gate')}' >/dev/null;; esac`;
    pipeAt(fixture.path('gate'));
    const dying = fixture.adapter({ env: gitThatFirst(fixture, waiting) }).state(checkout);
    await until(() => existsSync(fixture.path('waits')));
    expect(statSync(views).mode & 0o777).toBe(0o700);
    expect(readdirSync(views)).toHaveLength(1);

    const next = fixture.adapter();
    await next.sweep();
    expect(existsSync(views)).toBe(false);
    expect(await next.state(checkout)).toMatchObject({ branch: 'one' });
    expect(readdirSync(views)).toEqual([]);
    writeFileSync(fixture.path('gate'), '');
    expect(await code(dying)).toBe('GIT_FAILED');
    expect(readdirSync(views)).toEqual([]);
  });

  it('does not recreate a deleted data directory', async () => {
    const home = fixture.path('gone');
    await expect(fixture.adapter({ viewsDir: path.join(home, 'views') }).state(checkout)).rejects.toThrow('ENOENT');
    expect(existsSync(home)).toBe(false);
  });
});

describe('the main checkout of a repository with such a worktree', () => {
  it('ignores settings that the agent may write, and can still fetch', async () => {
    const { git, repository, row } = fixture;
    const main = fixture.checkout(repository);
    fixture.sh(['clone', '--quiet', '--bare', repository, fixture.path('remote')]);
    fixture.sh(['remote', 'add', 'origin', fixture.path('remote')]);
    // The last attack itself runs git in the worktree. It is applied first, because the others would redirect that git.
    for (const attack of Object.values(attacks).reverse()) attack();
    expect(ran()).toBe(false);
    writeFileSync(path.join(commonDir, 'objects/info/alternates'), `${hostile}/objects\n`);
    // This branch names a commit that does not exist, so a fetch fails if git reads the branches of the alternate
    // repository.
    writeFileSync(path.join(hostile, 'refs/heads/nothing'), `${'12'.repeat(20)}\n`);
    symlinkSync(path.join(hostile, 'refs/tags'), path.join(commonDir, 'refs/heads/theirs'));
    symlinkSync(path.join(hostile, 'logs'), path.join(commonDir, 'logs/refs/heads/theirs'));
    writeFileSync(path.join(commonDir, 'refs/heads/symbolic'), `ref: ${hostile}/HEAD\n`);
    const other = fixture.path('other');
    fixture.sh(['clone', '--quiet', fixture.path('remote'), other], fixture.root);
    const sha = fixture.commit('On the remote', other);
    fixture.sh(['push', '--quiet', 'origin', 'main'], other);

    expect((await git.inspect(repository)).commonDir).toBe(commonDir);
    expect((await git.state(main)).branch).toBe('main');
    expect((await git.diff(main, 'one')).files).toEqual([]);
    expect((await git.branches(row)).map((branch) => branch.name)).toContain('one');
    expect(await git.listWorktrees(row)).toHaveLength(2);
    expect(await git.resolveBase(row, 'main', true)).toEqual({ sha, ref: 'refs/remotes/origin/main' });
    const two = fixture.checkout(fixture.path('trees/two'), 'two');
    await git.addWorktree(two, { startPoint: sha });
    await git.discardWorktree(two, { deleteBranch: true });
    await git.pruneRecoveries(row, { before: new Date(), keep: 10, bytes: 1e9 });
    expect(ran()).toBe(false);
  });
});

describe('a worktree with settings of its own', () => {
  it('reports edits outside a sparse checkout', async () => {
    for (const name of ['.gitattributes', 'readme.md']) rmSync(path.join(tree, name));
    fixture.sh(['reset', '--quiet', '--hard'], tree);
    fixture.sh(['sparse-checkout', 'set', '--cone', 'docs'], tree);
    expect(await fixture.git.state(checkout)).toMatchObject({ hasChanges: false });
    fixture.write('src/app.ts', 'edited\n', tree);
    expect((await fixture.git.removalRisk(checkout)).uncommitted).toEqual(['src/app.ts']);
    expect((await fixture.git.diff(checkout, 'main')).files.map((file) => file.path)).toEqual(['src/app.ts']);
  });

  it('is read with a split index, and compared with revisions of its own reflog', async () => {
    rmSync(path.join(tree, '.gitattributes'));
    fixture.sh(['update-index', '--split-index'], tree);
    const before = fixture.commit('Second', tree);
    fixture.write('readme.md', 'changed again\n', tree);
    fixture.commit('Third', tree);
    expect(await fixture.git.state(checkout)).toMatchObject({ hasChanges: false });
    expect((await fixture.git.diff(checkout, 'HEAD@{1}')).baseSha).toBe(before);
  });
});
