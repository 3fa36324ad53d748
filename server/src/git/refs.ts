import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Git, ResolvedBase } from '../ports/git.ts';
import type { GitContext } from './context.ts';
import { errorCode, readLine } from './files.ts';
import { commonDirOf } from './layout.ts';
import { isObjectId, validBranchName } from './names.ts';

/** Lists local and remote branches, without symbolic ones such as `origin/HEAD`. */
export async function branches(context: GitContext, repositoryPath: string): ReturnType<Git['branches']> {
  const format = '--format=%(objectname)%00%(refname)%00%(symref)%00%(worktreepath)%00';
  const args = ['for-each-ref', format, 'refs/heads/', 'refs/remotes/'];
  const { stdout } = await context.run(args, { cwd: repositoryPath });
  const fields = stdout.toString().split('\0');
  const found: Awaited<ReturnType<Git['branches']>> = [];
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [sha = '', ref = '', symref = '', worktree = ''] = fields.slice(at, at + 4);
    if (symref !== '') continue;
    const remote = ref.startsWith('refs/remotes/');
    found.push({
      name: ref.slice(remote ? 'refs/remotes/'.length : 'refs/heads/'.length),
      // git prints a line break after each record, so every record except the first begins with a line break.
      sha: sha.replace(/^\n/, ''),
      remote,
      worktreePath: worktree === '' ? null : worktree,
    });
  }
  return found;
}

async function packedRefs(commonDir: string): Promise<string> {
  try {
    return await readFile(path.join(commonDir, 'packed-refs'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Reads the commit of a local branch from the repository's files, without a git process, which would take as long as
 * creating a small worktree. Returns null if there is no such branch, and undefined if only git can read it (symbolic
 * refs, reftable). Formats: gitrepository-layout(5), and git-pack-refs(1) for `packed-refs`.
 * @param branch a valid branch name.
 */
async function storedBranch(checkout: string, branch: string): Promise<string | null | undefined> {
  const commonDir = await commonDirOf(checkout);
  const loose = (await readLine(path.join(commonDir, 'refs/heads', branch)))?.trim();
  if (loose !== undefined) return isObjectId(loose) ? loose : undefined;
  const reftable = await stat(path.join(commonDir, 'reftable')).catch(() => null);
  if (reftable !== null) return undefined;
  const packed = await packedRefs(commonDir);
  const at = packed.indexOf(` refs/heads/${branch}\n`);
  if (at < 0) return null;
  const name = packed.slice(packed.lastIndexOf('\n', at) + 1, at);
  return isObjectId(name) ? name : undefined;
}

/** Returns the commit of a local branch, or null if there is no such branch. @param branch a valid branch name. */
export async function branchCommit(context: GitContext, checkout: string, branch: string): Promise<string | null> {
  const stored = await storedBranch(checkout, branch);
  if (stored !== undefined) return stored;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `refs/heads/${branch}^{commit}`];
  const { exitCode, stdout } = await context.run(args, { cwd: checkout, okCodes: [0, 1, 128] });
  return exitCode === 0 ? stdout.toString().trim() : null;
}

export async function branchExists(context: GitContext, repositoryPath: string, branch: string): Promise<boolean> {
  if (!validBranchName(branch)) return false;
  const stored = await storedBranch(repositoryPath, branch);
  if (stored !== undefined) return stored !== null;
  const args = ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`];
  const answer = await context.run(args, { cwd: repositoryPath, okCodes: [0, 1] });
  return answer.exitCode === 0;
}

/**
 * Resolves any commit-ish. A local branch takes precedence over a tag with the same name, and the short name of a
 * branch that exists only at `origin` is also resolved.
 * @throws NOT_FOUND, or CONFLICT when the repository has no commits.
 */
export async function resolveLocal(context: GitContext, repositoryPath: string, base: string): Promise<ResolvedBase> {
  const branch = validBranchName(base) ? await storedBranch(repositoryPath, base) : null;
  if (branch) return { sha: branch, ref: `refs/heads/${base}` };
  const found = await findLocal(context, repositoryPath, [
    ...(validBranchName(base) ? [`refs/heads/${base}`] : []),
    base,
    ...(validBranchName(base) ? [`refs/remotes/origin/${base}`] : []),
  ]);
  if (found !== null) return found;
  throw (await isEmpty(context, repositoryPath)) ? emptyRepository(repositoryPath) : baseNotFound(base);
}

/** Returns the first of these refs or names that git can resolve to a commit; null if none does. */
export async function findLocal(
  context: GitContext,
  repositoryPath: string,
  candidates: readonly string[],
): Promise<ResolvedBase | null> {
  for (const candidate of candidates) {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${candidate}^{commit}`];
    const answer = await context.run(args, { cwd: repositoryPath, okCodes: [0, 1, 128] });
    if (answer.exitCode !== 0) continue;
    const sha = answer.stdout.toString().trim();
    return { sha, ref: candidate.startsWith('refs/') ? candidate : await fullName(context, repositoryPath, candidate) };
  }
  return null;
}

async function fullName(context: GitContext, cwd: string, commitish: string): Promise<string> {
  const args = ['rev-parse', '--symbolic-full-name', '--verify', '--quiet', '--end-of-options', commitish];
  const answer = await context.run(args, { cwd, okCodes: [0, 1, 128] });
  const name = answer.stdout.toString().trim();
  return name.startsWith('refs/') ? name : commitish;
}

async function isEmpty(context: GitContext, cwd: string): Promise<boolean> {
  const refs = await context.run(['for-each-ref', '--count=1', '--format=%(refname)'], { cwd });
  if (refs.stdout.length > 0) return false;
  const head = await context.run(['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd, okCodes: [0, 1, 128] });
  return head.exitCode !== 0;
}

function emptyRepository(repositoryPath: string): ConsoleError {
  const advice = 'Make a first commit (`git commit --allow-empty -m "First commit"`) and try again.';
  const message = `The repository ${repositoryPath} has no commits yet, so there is nothing to start from. ${advice}`;
  return new ConsoleError('CONFLICT', message, { path: repositoryPath });
}

function baseNotFound(base: string): ConsoleError {
  const message = `This repository has no branch, tag or commit named ${base}. Check the name, or pass \`useRemote\` to fetch it from origin.`;
  return new ConsoleError('NOT_FOUND', message, { base });
}
