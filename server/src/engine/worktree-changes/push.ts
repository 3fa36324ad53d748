import { ConsoleError } from '@agent-console/shared/errors';
import { PUSH_LIMIT_MS } from '@agent-console/shared/limits/commands';
import type { JobResultOf } from '@agent-console/shared/models/job-result';
import * as v from 'valibot';
import type { PushTarget } from '../../ports/git-changes.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../../ports/rows.ts';
import { authorOfJob } from '../changes/author.ts';
import type { CommandEnd } from '../commands/commands.ts';
import { requireSuccess } from '../commands/success.ts';
import { retryWhileBusy } from '../scheduling/jobs.ts';
import { addParams, aloneIn, type ChangeContext, type ChangeWork, checkoutOfJob } from './context.ts';

/** The remote branch to which a branch is pushed; stored before the push. */
const Target = v.object({
  remote: v.string(),
  branch: v.string(),
  setsUpstream: v.boolean(),
  commit: v.string(),
  url: v.string(),
});
const Stored = v.object({ target: v.optional(Target) });

const PushParams = v.object({ worktreeId: v.string(), branch: v.string(), force: v.boolean() });
export type PushParams = v.InferOutput<typeof PushParams>;

/**
 * Pushes a branch in a command worker, where people can watch and end the push. Git starts other programs for it: ssh,
 * credential helpers, hooks and, for a remote on this machine, the hooks of the remote repository.
 */
export async function pushBranch(
  context: ChangeContext,
  job: JobRow,
  checkout: { worktree: WorktreeRow; repository: RepositoryRow },
  { branch, force }: Pick<PushParams, 'branch' | 'force'>,
): Promise<PushTarget> {
  const { git, storage, commands } = context;
  const { target: known } = v.parse(Stored, (await storage.read.jobs.get(job.id))?.params ?? {});
  const target = known ?? (await git.pushTarget(checkout, branch));
  if (known === undefined) await addParams(context, job, { target });
  const end = await commands.run(job, 'push', {
    worktree: checkout.worktree,
    author: authorOfJob(job),
    limitMs: PUSH_LIMIT_MS,
    prepare: () => git.pushCommand(checkout, target, force),
  });
  requirePushed(end, target, force);
  const { id } = checkout.worktree;
  const commit = await git.pushedCommit(checkout, target);
  // The branch is pushed already, so the job must not fail because the database is busy.
  await retryWhileBusy(() =>
    storage.write(authorOfJob(job), (tx) =>
      tx.record({
        type: 'worktree.pushed',
        subject: { kind: 'worktree', id },
        data: { worktreeId: id, branch, commit, forced: force },
      }),
    ),
  );
  return { ...target, commit };
}

/** @throws CONFLICT or TIMEOUT unless the push succeeded, with the reason and with advice */
function requirePushed(end: CommandEnd, { remote, branch }: PushTarget, force: boolean): void {
  const { output, exitCode, workerId } = end;
  if (end.timedOut || exitCode === 0) {
    requireSuccess(end, 'git push');
    return;
  }
  const details = { remote, branch, workerId, exitCode, output };
  const refuse = (message: string) => {
    throw new ConsoleError('CONFLICT', message, details);
  };
  const at = `${branch} at ${remote}`;
  if (/\(stale info\)/.test(output)) {
    refuse(
      `${at} has changed since it was last fetched, so the push did not replace it. Run git fetch ${remote}, and check what has changed.`,
    );
  }
  if (/\((?:fetch first|non-fast-forward)\)/.test(output)) {
    const replace = force
      ? ''
      : ', or push with `force` to replace the remote branch if it has not changed since the last fetch';
    refuse(
      `${at} has commits that the local branch does not have. Run git fetch ${remote}, then merge them or rebase onto them${replace}.`,
    );
  }
  const rejected = /\[remote rejected\].*\((.+)\)/.exec(output)?.[1];
  if (rejected !== undefined) refuse(`${remote} refused the push of ${branch}: ${rejected}.`);
  if (
    /terminal prompts disabled|Authentication failed|Permission denied|Host key verification|could not read Username/.test(
      output,
    )
  ) {
    const advice =
      'Set up a credential helper or an ssh key for the user who runs the console, and push once in a terminal.';
    refuse(`${remote} did not accept the credentials of git. ${advice}`);
  }
  requireSuccess(end, 'git push');
}

export function pushWork(context: ChangeContext): ChangeWork {
  return async (job, progress) => {
    const params = v.parse(PushParams, job.params);
    const checkout = await checkoutOfJob(context, params.worktreeId);
    return aloneIn(context, params.worktreeId, async () => {
      progress(0.2, 'pushing');
      const { remote, branch, commit, setsUpstream } = await pushBranch(context, job, checkout, params);
      const result = { remote, branch, commit, upstreamSet: setsUpstream, forced: params.force };
      return result satisfies JobResultOf<'push'>;
    });
  };
}
