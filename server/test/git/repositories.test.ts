import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProgressReader } from '../../src/git/clone.ts';
import { createRunGit } from '../../src/git/command.ts';
import { redact } from '../../src/git/failure.ts';
import { checkGitVersion } from '../../src/git/version.ts';
import { code, createFixture, type Fixture, failure, gitThatFirst, runProcess, snapshot, until } from './fixture.ts';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.remove());

/** Whether a process is running. A zombie does not count as running. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('inspect', () => {
  it('finds the main checkout from its path, a folder in it, a link to it and a linked worktree', async () => {
    fixture.sh(['worktree', 'add', '--quiet', fixture.path('linked')]);
    symlinkSync(fixture.repository, fixture.path('link'));
    const facts = {
      path: fixture.repository,
      commonDir: fixture.path('repository/.git'),
      url: null,
      defaultBranch: 'main',
    };
    for (const given of ['repository', 'repository/src', 'link', 'linked', 'linked/src']) {
      expect([given, await fixture.git.inspect(fixture.path(given))]).toEqual([given, facts]);
    }
  });

  it('returns the URL of origin without credentials', async () => {
    fixture.sh(['remote', 'add', 'origin', 'https://user:s3cret@example.com/team/repo.git']);
    expect((await fixture.git.inspect(fixture.repository)).url).toBe('https://example.com/team/repo.git');
    fixture.sh(['remote', 'set-url', 'origin', 'git@example.com:team/repo.git']);
    expect((await fixture.git.inspect(fixture.repository)).url).toBe('git@example.com:team/repo.git');
  });

  it('takes the default branch from origin, then from the checkout, then main', async () => {
    const defaultBranch = async () => (await fixture.git.inspect(fixture.repository)).defaultBranch;
    fixture.sh(['branch', 'other']);
    fixture.sh(['checkout', '--quiet', 'other']);
    expect(await defaultBranch()).toBe('other');
    fixture.sh(['checkout', '--quiet', '--detach']);
    expect(await defaultBranch()).toBe('main');
    fixture.sh(['update-ref', 'refs/remotes/origin/trunk/next', 'HEAD']);
    fixture.sh(['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk/next']);
    expect(await defaultBranch()).toBe('trunk/next');
  });

  it('accepts a repository before its first commit', async () => {
    fixture.sh(['init', '--quiet', '-b', 'first', fixture.path('empty')], fixture.root);
    expect((await fixture.git.inspect(fixture.path('empty'))).defaultBranch).toBe('first');
  });

  it.each([
    ['a folder without a repository', 'plain', 'git init'],
    ['a folder that is not there', 'nowhere', 'does not exist'],
    ['a file', 'repository/readme.md', 'not a folder'],
    ['a bare repository', 'bare.git', 'bare'],
    ['a worktree of a bare repository', 'of-bare', 'bare'],
    ['a git directory', 'repository/.git', 'git directory'],
  ])('refuses %s and says what to do', async (_, given, words) => {
    mkdirSync(fixture.path('plain'));
    fixture.sh(['clone', '--quiet', '--bare', fixture.repository, fixture.path('bare.git')]);
    fixture.sh(['worktree', 'add', '--quiet', '-b', 'x', fixture.path('of-bare')], fixture.path('bare.git'));
    const error = await failure(fixture.git.inspect(fixture.path(given)));
    expect(error.code).toBe('VALIDATION');
    expect(error.message).toContain(words);
  });

  it('refuses a path that is not absolute', async () => {
    expect(await code(fixture.git.inspect('repository'))).toBe('VALIDATION');
  });

  it.runIf(process.getuid?.() === 0)('explains how to trust a repository of another user', async () => {
    execFileSync('chown', ['-R', '12345', fixture.repository]);
    const error = await failure(fixture.git.inspect(fixture.repository));
    expect(error.code).toBe('GIT_FAILED');
    expect(error.message).toContain(`git config --global --add safe.directory '${fixture.repository}'`);
  });
});

describe('a new repository', () => {
  it('has one commit on main, and starts no hook or program of the user', async () => {
    const hasRun = fixture.path('has run');
    for (const hooks of ['hooks', 'template/hooks']) {
      fixture.write(`${hooks}/pre-commit`, `#!/bin/sh\ntouch '${hasRun}'\n`, fixture.root);
      chmodSync(fixture.path(hooks, 'pre-commit'), 0o755);
    }
    const settings = {
      'core.hooksPath': 'hooks',
      'init.templateDir': 'template',
      'core.fsmonitor': 'hooks/pre-commit',
    };
    for (const [name, value] of Object.entries(settings)) fixture.sh(['config', '--global', name, fixture.path(value)]);
    fixture.sh(['config', '--global', 'commit.gpgSign', 'true']);
    const folder = fixture.path('new');
    mkdirSync(folder);
    await fixture.git.createRepository(folder);
    expect(fixture.sh(['log', '--format=%an: %s', 'main'], folder)).toBe('Agent Console: Begin');
    expect(existsSync(fixture.path('new/.git/hooks'))).toBe(false);
    expect(existsSync(hasRun)).toBe(false);
  });
});

describe('the installed git', () => {
  it('is returned with its version', async () => {
    expect(execFileSync('git', ['version']).toString()).toContain(
      (await checkGitVersion(createRunGit(fixture.env, runProcess, fixture.path('views')))).version,
    );
  });

  it.each(['2.30.9', '1.9.1', 'unknown'])('is refused when it is %s', async (version) => {
    const env = gitThatFirst(fixture, `echo 'git version ${version}'; exit 0`);
    const error = await failure(checkGitVersion(createRunGit(env, runProcess, fixture.path('views'))));
    expect(error.code).toBe('UNSUPPORTED');
    expect(error.message).toContain('Install git 2.31 or newer');
    expect(await code(fixture.adapter({ env }).inspect(fixture.repository))).toBe('UNSUPPORTED');
  });

  it('is named in the error when missing', async () => {
    const env = { ...fixture.env, PATH: fixture.path('home') };
    const git = fixture.adapter({ env });
    for (const call of [
      () => checkGitVersion(createRunGit(env, runProcess, fixture.path('views'))),
      () => git.listWorktrees(fixture.row),
      () => git.branches(fixture.row),
    ]) {
      const error = await failure(call());
      expect([error.code, error.message]).toEqual(['GIT_FAILED', expect.stringContaining('Install git 2.31 or newer')]);
    }
  });
});

describe('clone', () => {
  const clone = (url: string, onProgress: (fraction: number, phase: string) => void = () => {}, signal?: AbortSignal) =>
    fixture.git.clone(url, fixture.path('clones/new'), onProgress, signal);
  const clones = () => (existsSync(fixture.path('clones')) ? readdirSync(fixture.path('clones')) : []);

  it('creates a complete checkout and reports progress to the end', async () => {
    const told: number[] = [];
    const facts = await clone(`file://${fixture.repository}`, (fraction) => told.push(fraction));
    expect(facts).toEqual({
      path: fixture.path('clones/new'),
      commonDir: fixture.path('clones/new/.git'),
      url: `file://${fixture.repository}`,
      defaultBranch: 'main',
    });
    expect(snapshot(facts.path)).toEqual(snapshot(fixture.repository));
    expect(clones()).toEqual(['new']);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(told.length).toBeGreaterThan(1);
    expect(told.at(-1)).toBe(1);
  });

  it('leaves nothing when it fails, and reports no password', async () => {
    const error = await failure(clone('https://user:s3cret@127.0.0.1:1/team/repo.git'));
    expect(error.code).toBe('GIT_FAILED');
    expect(JSON.stringify([error.message, error.details])).not.toContain('s3cret');
    expect(error.message).not.toContain('Cloning into');
    expect(clones()).toEqual([]);
  });

  it('leaves no files and no process when it is aborted', async () => {
    // The shell around git simulates a connection that hangs, with a helper process such as ssh.
    const begun = fixture.path('begun');
    const script = `case "$*" in *clone*) "$real" "$@"; sleep 600 & echo $! > '${begun}.new'; mv '${begun}.new' '${begun}'; wait;; esac`;
    const git = fixture.adapter({ env: gitThatFirst(fixture, script) });
    const abort = new AbortController();
    const cloning = git.clone(fixture.repository, fixture.path('clones/new'), () => {}, abort.signal);
    await until(() => existsSync(begun));
    const during = clones();
    abort.abort();
    expect(await code(cloning)).toBe('TIMEOUT');
    expect(during).toEqual([expect.stringMatching(/^\.new\.agent-console-clone-/)]);
    expect(clones()).toEqual([]);
    const helper = Number(readFileSync(begun, 'utf8'));
    await until(() => !isRunning(helper));
  });

  it('refuses a target that exists, or that is being cloned into', async () => {
    const both = [clone(fixture.repository), clone(fixture.repository)];
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await code(clone(fixture.repository))).toBe('CONFLICT');
    expect(snapshot(fixture.path('clones/new'))).toEqual(snapshot(fixture.repository));
  });

  it('starts git once for two clones to the same target at the same time', async () => {
    const begun = fixture.path('begun');
    const git = fixture.adapter({
      env: gitThatFirst(fixture, `case "$*" in *clone*) echo clone >> '${begun}';; esac`),
    });
    const target = fixture.path('clones/new');
    const both = [git.clone(fixture.repository, target, () => {}), git.clone(fixture.repository, target, () => {})];
    const [first, second] = await Promise.allSettled(both);
    expect(first).toMatchObject({ status: 'fulfilled', value: { path: target } });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } });
    expect(readFileSync(begun, 'utf8')).toBe('clone\n');
  });

  it('is cleaned up after a kill, by the next clone to the same target or on request', async () => {
    const half = () => fixture.write('clones/.new.agent-console-clone-0badcafe/half', '', fixture.root);
    fixture.write('clones/.newer/mine', '', fixture.root);
    half();
    await clone(fixture.repository);
    expect(clones().sort()).toEqual(['.newer', 'new']);
    half();
    await fixture.git.discardClone(fixture.path('clones/new'));
    expect(clones().sort()).toEqual(['.newer', 'new']);
    await fixture.git.discardClone(fixture.path('no/such/folder'));
  });

  it.each(['ext::sh -c "touch owned"', 'EXT::x', 'fd::7', '--upload-pack=touch owned', '-u', '', 'https://x\n--y'])(
    'refuses %j as a URL',
    async (url) => {
      expect(await code(clone(url))).toBe('VALIDATION');
      expect(clones()).toEqual([]);
    },
  );

  it('runs no command that url.insteadOf puts behind a harmless URL', async () => {
    writeFileSync(
      fixture.path('home/.gitconfig'),
      `[protocol "ext"]\n\tallow = always\n[url "ext::touch ${fixture.path('owned')} %S "]\n\tinsteadOf = https://example.com/\n`,
    );
    expect(await code(clone('https://example.com/repo'))).toBe('GIT_FAILED');
    expect(existsSync(fixture.path('owned'))).toBe(false);
  });

  it('does not prompt for a password', async () => {
    const asked = fixture.path('asked');
    fixture.write('ask', `#!/bin/sh\ntouch '${asked}'\n`, fixture.root);
    execFileSync('chmod', ['+x', fixture.path('ask')]);
    fixture.sh(['config', '--global', 'core.askPass', fixture.path('ask')]);
    const env = { ...fixture.env, GIT_ASKPASS: fixture.path('ask'), SSH_ASKPASS: fixture.path('ask') };
    const script = `case "$*" in *clone*) printf 'protocol=https\\nhost=example.com\\n\\n' | "$real" credential fill; exit 1;; esac`;
    const git = fixture.adapter({ env: { ...env, PATH: gitThatFirst(fixture, script).PATH ?? '' } });
    const error = await failure(git.clone('https://example.com/repo', fixture.path('clones/new'), () => {}));
    expect(error.message).toContain('terminal prompts disabled');
    expect(existsSync(asked)).toBe(false);
  });
});

describe('progress of a clone', () => {
  it('increases over all phases, whatever the chunk boundaries', () => {
    const output = [
      'Cloning into x...\n',
      'remote: Counting objects: 100% (10/10), done.\r\n',
      'remote: Compressing objects:  50% (1/2)\r',
      'Receiving objects:  10% (1/10)\rReceiving objects: 100% (10/10), 1.2 MiB | 3 MiB/s, done.\n',
      'Resolving deltas: 100% (1/1), done.\nUpdating files:   5% (1/20)\rUpdating files: 100% (20/20), done.\n',
    ].join('');
    const read = (size: number) => {
      const told: [number, string][] = [];
      const push = createProgressReader((fraction, phase) => told.push([fraction, phase]));
      for (let at = 0; at < output.length; at += size) push(output.slice(at, at + size));
      return told;
    };
    expect(read(1_000)).toEqual([
      [0.05, 'Counting objects'],
      [0.07, 'Compressing objects'],
      [0.16, 'Receiving objects'],
      [0.75, 'Receiving objects'],
      [0.9, 'Resolving deltas'],
      [1, 'Updating files'],
    ]);
    expect(read(7)).toEqual(read(1_000));
  });
});

describe('redact', () => {
  it.each([
    ["fatal: unable to access 'https://user:pass@example.com/x/'", "fatal: unable to access 'https://example.com/x/'"],
    ['https://token@example.com/x', 'https://example.com/x'],
    ['https://user:p@ss:w@example.com/x', 'https://example.com/x'],
    ['ssh://git:pass@example.com/x and http://a:b@c', 'ssh://git@example.com/x and http://c'],
    ['git@example.com:x/y.git', 'git@example.com:x/y.git'],
    ['https://example.com/a@b', 'https://example.com/a@b'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});
