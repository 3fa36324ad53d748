import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { PUSH_LIMIT_MS } from '@agent-console/shared/limits/commands';
import type { JobResultOf } from '@agent-console/shared/models/job-result';
import type { PullRequest } from '@agent-console/shared/models/pull-request';
import * as v from 'valibot';
import { foreignText, pullRequestIn } from '../../domain/pull-request.ts';
import type { PullRequests } from '../../ports/pull-requests.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../../ports/rows.ts';
import { authorOfJob } from '../changes/author.ts';
import type { CommandEnd } from '../commands/commands.ts';
import { requireSuccess } from '../commands/success.ts';
import { retryWhileBusy } from '../scheduling/jobs.ts';
import { aloneIn, type ChangeContext, type ChangeWork, checkoutOfJob } from './context.ts';
import { pushBranch } from './push.ts';

const PullRequestParams = v.object({
  worktreeId: v.string(),
  branch: v.string(),
  base: v.string(),
  title: v.string(),
  body: v.string(),
  draft: v.boolean(),
  /** Shell command of the repository; null for `gh pr create`. */
  command: v.nullable(v.string()),
  /** Session from which the title or body was taken; absent if the caller set both. */
  quotedSessionId: v.optional(v.string()),
});
export type PullRequestParams = v.InferOutput<typeof PullRequestParams>;

export interface PullRequestContext extends ChangeContext {
  pullRequests: PullRequests;
}

/** Pushes a worktree's branch and creates a pull request for it in a command worker. */
export function pullRequestWork(context: PullRequestContext): ChangeWork {
  return async (job, progress) => {
    const params = v.parse(PullRequestParams, job.params);
    const checkout = await checkoutOfJob(context, params.worktreeId);
    return aloneIn(context, params.worktreeId, async () => {
      progress(0.1, 'pushing');
      await pushBranch(context, job, checkout, { branch: params.branch, force: false });
      progress(0.6, 'creating the pull request');
      const end = await create(context, job, checkout, params);
      const found = pullRequestIn(end.output);
      // If the branch already has a pull request, gh fails and prints the URL of that pull request. The job then
      // returns that pull request.
      const exists = end.exitCode !== 0 && found?.number != null && /already exists/i.test(end.output);
      if (!exists) requireSuccess(end, 'The command that creates the pull request');
      if (found === null) throw noAddress(end);
      progress(0.9, 'reading the state of the pull request');
      const pullRequest = (await readPullRequest(context, found.url)) ?? asCreated(context, found, params);
      await storePullRequest(context, job, checkout.worktree.id, pullRequest);
      return { pullRequest, created: !exists } satisfies JobResultOf<'pull-request'>;
    });
  };
}

/**
 * Creates the pull request. `gh` gets the title as an argument and the body in a file; a command of the repository gets
 * both as variables. So no shell interprets them.
 */
function create(
  { commands }: PullRequestContext,
  job: JobRow,
  { worktree }: { worktree: WorktreeRow; repository: RepositoryRow },
  { branch, base, title, body, draft, command }: PullRequestParams,
): Promise<CommandEnd> {
  const variables = {
    AGENT_CONSOLE_BRANCH: branch,
    AGENT_CONSOLE_BASE: base,
    AGENT_CONSOLE_TITLE: title,
    AGENT_CONSOLE_BODY: body,
    AGENT_CONSOLE_DRAFT: draft ? '1' : '',
  };
  const gh = ['pr', 'create', `--title=${title}`, `--base=${base}`, `--head=${branch}`, ...(draft ? ['--draft'] : [])];
  return commands.run(job, 'pull-request', {
    worktree,
    author: authorOfJob(job),
    limitMs: PUSH_LIMIT_MS,
    prepare: async (folder) =>
      command === null
        ? {
            file: 'gh',
            args: [...gh, `--body-file=${join(folder, 'body')}`],
            env: { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1' },
            files: { body },
          }
        : { file: '/bin/sh', args: ['-c', command], env: variables },
  });
}

function noAddress({ output, workerId }: CommandEnd): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    'The pull request command succeeded but printed no address (https://…), so the console cannot find the pull request. Change the command to print the address.',
    { output, workerId },
  );
}

/** Returns the state of a pull request as `gh` reports it, or null if it cannot be read. */
export async function readPullRequest(
  { pullRequests, now }: Pick<PullRequestContext, 'pullRequests' | 'now'>,
  url: string,
): Promise<PullRequest | null> {
  const found = await pullRequests.read(url);
  return found === null ? null : { ...found, readAt: now().toISOString() };
}

function asCreated(
  { now }: PullRequestContext,
  found: { url: string; number: number | null },
  { title, draft }: PullRequestParams,
): PullRequest {
  const state = draft ? 'draft' : 'open';
  const readAt = now().toISOString();
  return { ...found, title: foreignText(title), state, checks: null, review: null, readAt };
}

async function storePullRequest(
  { storage }: PullRequestContext,
  job: JobRow,
  worktreeId: string,
  pullRequest: PullRequest,
): Promise<void> {
  const subject = { kind: 'worktree', id: worktreeId } as const;
  // The pull request exists already, so the job must not fail because the database is busy.
  await retryWhileBusy(() =>
    storage.write(authorOfJob(job), async (tx) => {
      await tx.worktrees.update(worktreeId, { pullRequest });
      await tx.record({ type: 'worktree.updated', subject, data: { worktreeId } });
    }),
  );
}
