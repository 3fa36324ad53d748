import { ConsoleError } from '@agent-console/shared/errors';
import { PUSH_COMMITS_LISTED_MAX } from '@agent-console/shared/limits/git';
import type { GitCommand, PushTarget, UnpushedCommits } from '../ports/git-changes.ts';
import type { CheckoutLocation, GitContext } from './context.ts';
import { redact } from './failure.ts';
import { checkoutEnvironment, hooksFolder } from './hooks.ts';
import { requireBranchName } from './names.ts';

/**
 * Returns where a branch is pushed: to its upstream, or to a branch of its own name that becomes its upstream.
 * @throws CONFLICT if the upstream has another name, if the repository has no remote, or if the branch has no commits
 */
export async function pushTarget(context: GitContext, checkout: CheckoutLocation, branch: string): Promise<PushTarget> {
  requireBranchName(branch);
  const read = async (args: readonly string[]) => {
    const options = { cwd: checkout.path, env: { GIT_DIR: checkout.commonDir }, okCodes: [0, 1, 2, 128] };
    return (await context.run(args, options)).stdout.toString().trim();
  };
  const remotes = (await read(['remote'])).split('\n').filter(Boolean);
  const upstreamRemote = await read(['config', '--get', `branch.${branch}.remote`]);
  const upstream = (await read(['config', '--get', `branch.${branch}.merge`])).replace(/^refs\/heads\//, '');
  const tracks = upstream !== '' && remotes.includes(upstreamRemote);
  if (tracks && upstream !== branch) {
    throw new ConsoleError(
      'CONFLICT',
      `The upstream of ${branch} is ${upstreamRemote}/${upstream}, a branch of another name. Remove the upstream with git branch --unset-upstream ${branch} to push to a branch of the same name, or push in a terminal.`,
      { branch, upstream: `${upstreamRemote}/${upstream}` },
    );
  }
  const remote = tracks ? upstreamRemote : remotes.includes('origin') ? 'origin' : remotes[0];
  if (remote === undefined) {
    const message = 'This repository has no remote to push to. Add one first: git remote add origin <url>';
    throw new ConsoleError('CONFLICT', message, { branch });
  }
  const commit = await read(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`]);
  if (commit === '') throw new ConsoleError('CONFLICT', `Branch ${branch} has no commits to push.`, { branch });
  const url = redact(await read(['remote', 'get-url', '--', remote]));
  return { remote, branch, setsUpstream: !tracks, commit, url };
}

/** Compares a branch with its remote branch, without asking the remote. */
export async function unpushed(
  context: GitContext,
  checkout: CheckoutLocation,
  { remote, branch, commit }: PushTarget,
): Promise<UnpushedCommits> {
  const read = async (args: readonly string[], okCodes = [0]) => {
    const options = { cwd: checkout.path, env: { GIT_DIR: checkout.commonDir }, okCodes };
    return (await context.run(args, options)).stdout.toString();
  };
  const args = ['rev-parse', '--verify', '--quiet', `refs/remotes/${remote}/${branch}^{commit}`];
  const before = (await read(args, [0, 1, 128])).trim() || null;
  const without = before === null ? ['--not', `--remotes=${remote}`] : [`^${before}`];
  const count = async (range: readonly string[]) => Number((await read(['rev-list', '--count', ...range])).trim());
  const format = ['log', '-z', '--format=%H %s', `--max-count=${PUSH_COMMITS_LISTED_MAX}`];
  const listed = (await read([...format, commit, ...without, '--'])).split('\0').filter(Boolean);
  return {
    before,
    ahead: await count([commit, ...without]),
    behind: before === null ? 0 : await count([before, `^${commit}`]),
    commits: listed.map((line) => ({
      commit: line.slice(0, line.indexOf(' ')),
      subject: line.slice(line.indexOf(' ') + 1),
    })),
  };
}

/**
 * Returns the commit that a push has just sent. Reads the remote-tracking branch, which git updates after a push,
 * because the local branch may have moved since the target was read. Without a remote-tracking branch, returns the
 * commit of the target.
 */
export async function pushedCommit(
  context: GitContext,
  checkout: CheckoutLocation,
  { remote, branch, commit }: PushTarget,
): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', `refs/remotes/${remote}/${branch}^{commit}`];
  const options = { cwd: checkout.path, env: { GIT_DIR: checkout.commonDir }, okCodes: [0, 1, 128] };
  return (await context.run(args, options)).stdout.toString().trim() || commit;
}

export async function pushCommand(
  context: GitContext,
  checkout: CheckoutLocation,
  { remote, branch, setsUpstream }: PushTarget,
  force: boolean,
): Promise<GitCommand> {
  const env = await checkoutEnvironment(checkout);
  const ref = `refs/heads/${branch}`;
  const options = [...(force ? ['--force-with-lease'] : []), ...(setsUpstream ? ['--set-upstream'] : [])];
  const plain = ['--no-follow-tags', '--recurse-submodules=no', '--no-signed'];
  const hooksPath = await hooksFolder(context, checkout);
  return context.line(['push', ...plain, ...options, '--', remote, `${ref}:${ref}`], {
    cwd: checkout.path,
    env,
    hooksPath,
  });
}
