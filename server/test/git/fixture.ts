import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import { forkServer } from '../../src/git/fork-server.ts';
import { createGit, type GitOptions } from '../../src/git/git.ts';
import type { Checkout, Repository } from '../../src/ports/checkout.ts';
import type { Git } from '../../src/ports/git.ts';
import { copyRepository, NO_MAINTENANCE } from '../support/repository-template.ts';
import { runSync } from '../support/run-sync.ts';

/** Runs programs through the fork server, as the server does. */
export const runProcess = forkServer(fileURLToPath(new URL('../../dist/fork-server.js', import.meta.url)));

/** A folder with its own HOME and a real repository, isolated from the machine's git configuration. */
export interface Fixture {
  root: string;
  repository: string;
  env: Record<string, string>;
  git: Git;
  adapter(options?: Partial<GitOptions>): Git;
  /** Runs git with an identity, by default in the repository. Returns the output without the last line break. */
  sh(args: readonly string[], cwd?: string): string;
  path(...parts: string[]): string;
  /** The repository as the console stores it. */
  row: Repository;
  /** Returns the checkout at the path `at` as the console stores it: a worktree on `branch`, or the main checkout. */
  checkout(at: string, branch?: string): Checkout;
  write(relative: string, content: string | Buffer, cwd?: string): void;
  commit(message: string, cwd?: string): string;
  remove(): void;
}

export function createFixture(): Fixture {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'agent-console-git-test-')));
  const home = path.join(root, 'home');
  mkdirSync(home);
  writeFileSync(
    path.join(home, '.gitconfig'),
    `[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n${NO_MAINTENANCE}`,
  );
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const repository = path.join(root, 'repository');
  const row = { path: repository, commonDir: path.join(repository, '.git') };
  const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com'];
  const sh = (args: readonly string[], cwd = repository) =>
    runSync('git', [...identity, ...args], { cwd, env }).replace(/\n$/, '');
  const write = (relative: string, content: string | Buffer, cwd = repository) => {
    mkdirSync(path.dirname(path.join(cwd, relative)), { recursive: true });
    writeFileSync(path.join(cwd, relative), content);
  };
  const commit = (message: string, cwd = repository) => {
    sh(['add', '--all'], cwd);
    sh(['commit', '--quiet', '--allow-empty', '-m', message], cwd);
    return sh(['rev-parse', 'HEAD'], cwd);
  };
  const adapter = (options: Partial<GitOptions> = {}) =>
    createGit({ viewsDir: path.join(root, 'views'), env, runProcess, ...options });
  copyRepository('git fixture', repository, (made) => {
    sh(['init', '--quiet', made], root);
    write('readme.md', 'one\ntwo\nthree\n', made);
    write('src/app.ts', 'export const answer = 42;\n', made);
    commit('First commit', made);
  });
  return {
    root,
    repository,
    env,
    git: adapter(),
    adapter,
    sh,
    path: (...parts) => path.join(root, ...parts),
    row,
    checkout: (at, branch) => ({ repository: row, worktree: { path: at, branch: branch ?? null } }),
    write,
    commit,
    remove() {
      makeWritable(root);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeWritable(path.join(folder, entry.name));
  }
}

/** Creates `count` files of about 1 kB in 100 folders and commits them. */
export function commitMany(fixture: Fixture, count: number): string {
  for (let number = 0; number < count; number += 1) {
    fixture.write(`many/${number % 100}/file-${number}.txt`, `line of file ${number}\n`.repeat(50));
  }
  return fixture.commit(`${count} files`);
}

/** Returns everything in a folder except `.git`: type, executable bit and content by path. */
export function snapshot(folder: string, under = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(path.join(folder, under))) {
    const relative = path.join(under, name);
    if (relative === '.git') continue;
    const stat = lstatSync(path.join(folder, relative));
    if (stat.isDirectory()) Object.assign(found, snapshot(folder, relative));
    else if (stat.isSymbolicLink()) found[relative] = `link ${readlinkSync(path.join(folder, relative))}`;
    else {
      const kind = (stat.mode & 0o100) === 0 ? 'file' : 'executable';
      found[relative] = `${kind} ${readFileSync(path.join(folder, relative)).toString('latin1')}`;
    }
  }
  return found;
}

const list = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

/** Returns what is left of a worktree that should be gone: its folder, trash, registrations and branch. */
export function remains(fixture: Fixture, at: string, branch: string): string[] {
  const admin = path.join(fixture.repository, '.git/worktrees');
  return [
    ...(existsSync(at) ? ['folder'] : []),
    ...list(path.dirname(at)).filter((name) => name.includes('agent-console')),
    ...list(admin).map((name) => `registration ${name}`),
    ...fixture
      .sh(['for-each-ref', '--format=%(refname)', `refs/heads/${branch}`])
      .split('\n')
      .filter(Boolean),
  ];
}

/**
 * Helpers for worktrees below `trees`, each named like its branch. `left` returns what is left of a worktree that
 * should be gone.
 */
export function treesOf(fixture: () => Fixture) {
  const checkout = (name: string, branch = name) => fixture().checkout(fixture().path('trees', name), branch);
  const add = (
    name: string,
    { branch, ...extra }: { branch?: string; startPoint?: string | null; signal?: AbortSignal } = {},
  ) => fixture().git.addWorktree(checkout(name, branch), { startPoint: 'main', ...extra });
  const discard = (name: string, deleteBranch = true) =>
    fixture().git.discardWorktree(checkout(name), { deleteBranch });
  const left = (name: string) => remains(fixture(), fixture().path('trees', name), name);
  return { add, discard, left };
}

/** Time at which `recoveriesOf` saves a worktree. */
export const SAVED_AT = Date.UTC(2026, 10, 21, 22, 30, 5, 7);

/** Helpers that save, remove and restore the worktree `trees/work`. */
export function recoveriesOf(fixture: () => Fixture) {
  const checkout = () => fixture().checkout(fixture().path('trees/work'));
  const save = () =>
    fixture()
      .adapter({ clock: () => SAVED_AT })
      .saveRecovery(checkout(), 'wt-001-abcd');
  const remove = () => fixture().git.removeWorktree(checkout());
  const restore = (recoveryRef: string) => fixture().git.restoreWorktree(checkout(), recoveryRef);
  return { save, remove, restore };
}

/** Returns the ConsoleError with which a call rejects. */
export async function failure(call: Promise<unknown>): Promise<ConsoleError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome && outcome.error instanceof ConsoleError) return outcome.error;
  if ('error' in outcome) throw outcome.error;
  throw new Error(`expected a ConsoleError, got ${JSON.stringify(outcome.value)}`);
}

export async function code(call: Promise<unknown>): Promise<ErrorCode> {
  return (await failure(call)).code;
}

/** Polls until the condition holds. If it never does, the timeout of the test ends the wait. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/**
 * Returns an environment whose `git` runs the given shell lines first. In these lines, `$*` contains git's arguments,
 * and `$real` the path of the real git.
 */
export function gitThatFirst(fixture: Fixture, lines: string): Record<string, string> {
  const real = runSync('sh', ['-c', 'command -v git'], { cwd: fixture.root, env: process.env }).trim();
  fixture.write('bin/git', `#!/bin/sh\nreal='${real}'\n${lines}\nexec "$real" "$@"\n`, fixture.root);
  chmodSync(fixture.path('bin/git'), 0o755);
  return { ...fixture.env, PATH: `${fixture.path('bin')}:${fixture.env.PATH}` };
}
