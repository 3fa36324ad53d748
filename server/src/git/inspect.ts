import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { RepositoryFacts } from '../ports/git.ts';
import type { GitContext } from './context.ts';
import { redact, stderrOf } from './failure.ts';
import { readLine } from './files.ts';
import { validBranchName } from './names.ts';
import { worktreesOf } from './worktree-list.ts';

/**
 * Finds the repository of a path. The path may be the main checkout, a folder in it, or a linked worktree.
 * @throws VALIDATION if the path is not the absolute path of a folder in a checkout, or if the repository has no main
 * checkout.
 */
export async function inspect(context: GitContext, at: string): Promise<RepositoryFacts> {
  const folder = await existingFolder(at);
  const { gitDir, commonDir, checkout } = await layoutOf(context, folder);
  const main = gitDir === commonDir ? checkout : await mainCheckout(context, folder, commonDir);
  const [url, defaultBranch] = await Promise.all([
    originUrl(context, main),
    findDefaultBranch(context, main, commonDir),
  ]);
  return { path: main, commonDir, url, defaultBranch };
}

function refused(at: string, message: string): ConsoleError {
  return new ConsoleError('VALIDATION', message, { path: at });
}

async function existingFolder(at: string): Promise<string> {
  if (!path.isAbsolute(at) || at.includes('\0'))
    throw refused(at, `${at} is not an absolute path. Pass an absolute path.`);
  try {
    const folder = await realpath(at);
    if (!(await stat(folder)).isDirectory())
      throw refused(at, `${at} is not a folder. Pass the folder of a git checkout.`);
    return folder;
  } catch (error) {
    if (error instanceof ConsoleError) throw error;
    throw refused(at, `${at} does not exist or cannot be read. Pass the folder of a git checkout.`);
  }
}

interface Layout {
  gitDir: string;
  commonDir: string;
  /** Top folder of the checkout that contains the inspected folder. */
  checkout: string;
}

async function layoutOf(context: GitContext, folder: string): Promise<Layout> {
  const questions = ['--is-bare-repository', '--is-inside-work-tree', '--git-dir', '--git-common-dir'];
  let printed: string;
  try {
    // git prints a result for each option, in order. Without a checkout, it fails at the last option,
    // `--show-toplevel`, after it has printed the other results.
    printed = await revParse(context, folder, [...questions, '--show-toplevel'], [0, 128]);
    if (!printed.includes('\n')) printed = await revParse(context, folder, questions);
  } catch (error) {
    if (!/not a git repository/i.test(stderrOf(error))) throw error;
    const advice = 'Run `git init` there and make a first commit, or pass another folder.';
    throw refused(folder, `${folder} is not in a git repository. ${advice}`);
  }
  const [bare, inside, gitDir, commonDir, checkout, ...rest] = printed.split('\n');
  if (bare === 'true')
    throw refused(folder, `${folder} is a bare repository, which has no checkout to work in. Clone it first.`);
  if (inside === 'false')
    throw refused(folder, `${folder} is inside a repository's git directory. Pass the folder of the checkout.`);
  if (gitDir === undefined || commonDir === undefined || checkout === undefined || rest.length > 0) {
    const name = JSON.stringify(folder);
    throw refused(name, `${name} has a line break in its path, which git commands cannot handle. Rename the folder.`);
  }
  return { gitDir: await realpath(gitDir), commonDir: await realpath(commonDir), checkout: await realpath(checkout) };
}

async function topLevel(context: GitContext, folder: string): Promise<string> {
  return realpath(await revParse(context, folder, ['--show-toplevel']));
}

async function revParse(
  context: GitContext,
  cwd: string,
  questions: readonly string[],
  okCodes: readonly number[] = [0],
): Promise<string> {
  const { stdout } = await context.run(['rev-parse', '--path-format=absolute', ...questions], { cwd, okCodes });
  return stdout.toString().replace(/\n$/, '');
}

async function mainCheckout(context: GitContext, folder: string, commonDir: string): Promise<string> {
  const main = (await worktreesOf(context, folder, commonDir)).find((entry) => entry.main);
  if (main === undefined) {
    throw refused(
      folder,
      `${folder} is a worktree of a bare repository, which has no main checkout. Pass an ordinary clone.`,
    );
  }
  try {
    return await topLevel(context, main.path);
  } catch (error) {
    const advice = `Move the checkout to ${main.path}, or pass another folder.`;
    const message = `The main checkout of ${folder} is not at ${main.path}, where its git directory ${commonDir} expects it. ${advice}`;
    throw new ConsoleError('VALIDATION', message, { path: folder }, { cause: error });
  }
}

async function originUrl(context: GitContext, checkout: string): Promise<string | null> {
  const answer = await context.run(['remote', 'get-url', 'origin'], { cwd: checkout, okCodes: [0, 2, 128] });
  return answer.exitCode === 0 ? redact(answer.stdout.toString().trimEnd()) : null;
}

/**
 * Returns the first of these branches that exists: the branch of `origin/HEAD`, the checked out branch (even without
 * commits), main, master, any other branch. Returns main if there is no branch.
 */
async function findDefaultBranch(context: GitContext, checkout: string, commonDir: string): Promise<string> {
  const format = '--format=%(refname)%00%(symref)';
  const [checkedOut, refs] = await Promise.all([
    checkedOutRef(context, checkout, commonDir),
    context.run(['for-each-ref', format, 'refs/remotes/origin/HEAD', 'refs/heads/'], { cwd: checkout }),
  ]);
  const lines = refs.stdout.toString().split('\n').filter(Boolean);
  const symref = lines.find((line) => line.startsWith('refs/remotes/origin/HEAD\0'))?.split('\0')[1];
  if (symref?.startsWith('refs/remotes/origin/')) return symref.slice('refs/remotes/origin/'.length);
  if (checkedOut.startsWith('refs/heads/')) return checkedOut.slice('refs/heads/'.length);
  const branches = lines.flatMap((line) => /^refs\/heads\/([^\0]+)/.exec(line)?.[1] ?? []);
  return ['main', 'master'].find((name) => branches.includes(name)) ?? branches[0] ?? 'main';
}

/**
 * Returns the full name of the branch of a main checkout, even without commits, or an empty text if HEAD is detached.
 */
async function checkedOutRef(context: GitContext, checkout: string, commonDir: string): Promise<string> {
  const branch = /^ref: refs\/heads\/(.+)$/.exec((await readLine(path.join(commonDir, 'HEAD'))) ?? '')?.[1];
  // In a repository that uses reftable, the file HEAD names the invalid branch `.invalid`, so git must be asked.
  if (branch !== undefined && validBranchName(branch)) return `refs/heads/${branch}`;
  const head = await context.run(['symbolic-ref', '--quiet', 'HEAD'], { cwd: checkout, okCodes: [0, 1] });
  return head.stdout.toString().trimEnd();
}
