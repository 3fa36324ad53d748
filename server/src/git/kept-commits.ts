import { ConsoleError } from '@agent-console/shared/errors';
import { linkInBranch } from './branch-links.ts';
import type { GitContext } from './context.ts';
import { requireBranchName } from './names.ts';
import { worktreesOf } from './worktree-list.ts';

/** Prefix of refs that keep the commits of integrations, followed by `<integration id>/<source or target>`. */
const INTEGRATIONS = 'refs/agent-console/integrations/';

/**
 * Creates refs to the source and target commits of an integration, so that git does not delete these commits as
 * unreachable.
 */
export async function keepCommits(
  context: GitContext,
  cwd: string,
  { integrationId, source, target }: { integrationId: string; source: string; target: string },
): Promise<void> {
  const lines = [
    `update ${INTEGRATIONS}${integrationId}/source ${source}`,
    `update ${INTEGRATIONS}${integrationId}/target ${target}`,
  ];
  await context.run(['update-ref', '--stdin'], { cwd, input: lines.map((line) => `${line}\n`).join('') });
}

/** Deletes the refs of integrations that began before `before`. Returns the number of deleted refs. */
export async function pruneKeptCommits(context: GitContext, cwd: string, before: Date): Promise<number> {
  const { stdout } = await context.run(['for-each-ref', '--format=%(refname) %(objectname)', INTEGRATIONS], { cwd });
  const lines = stdout.toString().split('\n').filter(Boolean);
  const old = lines.filter((line) => timeOf(line.slice(INTEGRATIONS.length)) < before.getTime());
  if (old.length === 0) return 0;
  await context.run(['update-ref', '--stdin'], { cwd, input: old.map((line) => `delete ${line}\n`).join('') });
  return old.length;
}

/**
 * Returns the time at which an integration began, in milliseconds since 1970; infinity if the id is invalid. A valid id
 * is a UUIDv7, which begins with this time.
 */
function timeOf(id: string): number {
  const time = Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

/**
 * Deletes a branch and its settings if the branch is still at `commit`. Does nothing if the branch does not exist.
 * @throws CONFLICT if the branch has moved or is checked out, or if the path of its ref contains a symbolic link.
 */
export async function deleteBranch(
  context: GitContext,
  { path: cwd, commonDir }: { path: string; commonDir: string },
  branch: string,
  commit: string,
): Promise<void> {
  requireBranchName(branch);
  const conflict = (why: string) =>
    new ConsoleError('CONFLICT', `Branch ${branch} was not deleted: ${why}.`, { branch });
  await context.queues.run(commonDir, async () => {
    const ref = `refs/heads/${branch}`;
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', ref];
    const found = await context.run(args, { cwd, okCodes: [0, 1, 128] });
    if (found.exitCode !== 0) return;
    const link = await linkInBranch(commonDir, branch);
    if (link !== null) throw conflict(`the path of its ref in the git directory contains the symbolic link ${link}`);
    if (found.stdout.toString().trim() !== commit) throw conflict('the branch has commits that were not integrated');
    const checkout = (await worktreesOf(context, cwd, commonDir)).find((entry) => entry.branch === branch);
    if (checkout !== undefined) throw conflict(`the branch is checked out at ${checkout.path}`);
    await context.run(['update-ref', '-d', ref, commit], { cwd });
    await context.run(['config', '--remove-section', `branch.${branch}`], { cwd, okCodes: [0, 1, 5, 128] });
  });
}

/** Whether `ancestor` is an ancestor of `commit`, or the same commit. */
export async function contains(context: GitContext, cwd: string, commit: string, ancestor: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, commit];
  // git exits with code 128 if one of the two commits no longer exists.
  return (await context.run(args, { cwd, okCodes: [0, 1, 128] })).exitCode === 0;
}
