import * as v from 'valibot';
import { described, wholeNumber } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { DISCARD_PATHS_MAX } from '../limits/git.ts';
import { operation } from '../operation.ts';
import { InnerPath, LongText, Title } from '../text.ts';
import { jobTool, StartedJob, Wait } from './started-job.ts';

const worktreeId = IdPrefix('worktree');
const ids = { worktreeId: 'worktree' } as const;

const Paths = v.pipe(v.array(v.pipe(InnerPath, v.minLength(1))), v.minLength(1), v.maxLength(DISCARD_PATHS_MAX));
const CommitMessage = v.pipe(LongText, v.regex(/\S/, 'must not be blank'));

/**
 * A hunk, identified by its file and by its first line in the old and the new file, as in `GET
 * /worktrees/{worktreeId}/diff?base=HEAD`.
 */
const HunkLines = v.strictObject({
  path: described(InnerPath, 'Path of the file that contains the hunk'),
  oldStart: wholeNumber('Number of the line at which the hunk starts in the old file', 0, 2 ** 31),
  newStart: wholeNumber('Number of the line at which the hunk starts in the new file', 0, 2 ** 31),
  lines: v.optional(
    described(
      v.array(v.string()),
      'Lines of the hunk as in the diff; if the worktree no longer contains them, nothing is discarded',
    ),
  ),
});

const dryRun = (what: string) => v.optional(described(v.boolean(), what), false);

/** Whether the remote would accept a push, according to the result of a dry run. */
function isAccepted({ behind, forced }: Readonly<Record<string, unknown>>): boolean {
  return behind === 0 || forced === true;
}

export const worktreeChanges = [
  operation({
    name: 'worktrees.check',
    summary: "Run the repository's check command in a worktree, in a terminal that can be watched",
    access: 'self',
    ids,
    idempotent: true,
    rest: { method: 'POST', path: '/worktrees/:worktreeId/check', status: 202 },
    cli: {
      command: 'worktrees check',
      also: ['check'],
      positional: ['worktreeId'],
      here: ['worktreeId'],
      job: {
        isSuccess: ({ check, dryRun }) => dryRun === true || (check as { passed?: unknown } | null)?.passed === true,
      },
    },
    tool: {
      name: 'check_worktree',
      toolset: 'worktrees',
      byDefault: true,
      description:
        'Run the check command of the repository (such as its tests) in a worktree of your session or of one that you delegated to. Waits up to 45 s; if it still runs, call again.',
      input: v.strictObject({ worktreeId, idempotencyKey: IdempotencyKey }),
      ...jobTool,
    },
    input: v.strictObject({
      worktreeId,
      dryRun: dryRun(
        'Run nothing; return the command, the folder in which it would run, and the stored check result of the commit, if any',
      ),
      wait: Wait,
    }),
    output: StartedJob,
  }),
  operation({
    name: 'worktrees.commit',
    summary: 'Commit uncommitted changes of a worktree',
    access: 'self',
    ids,
    idempotent: true,
    rest: { method: 'POST', path: '/worktrees/:worktreeId/commit', status: 202 },
    cli: {
      command: 'worktrees commit',
      also: ['commit'],
      positional: ['worktreeId'],
      here: ['worktreeId'],
      job: { isSuccess: () => true },
    },
    example: { message: 'Return search results within 20 ms' },
    input: v.strictObject({
      worktreeId,
      message: described(CommitMessage, 'Commit message'),
      paths: v.optional(
        described(Paths, 'Paths of files or directories to commit; default: all changes, including untracked files'),
      ),
      dryRun: dryRun('Commit nothing; the result has the files, the message, and whether hooks would run'),
      wait: Wait,
    }),
    output: StartedJob,
  }),
  operation({
    name: 'worktrees.discard',
    summary: 'Discard uncommitted changes of a worktree after saving them',
    access: 'self',
    effect: 'destroy',
    ids,
    rest: { method: 'POST', path: '/worktrees/:worktreeId/discard' },
    cli: { command: 'worktrees discard', positional: ['worktreeId'] },
    example: { paths: ['src/search.ts'] },
    input: v.strictObject({
      worktreeId,
      paths: v.optional(
        described(
          Paths,
          'Paths of files or directories whose changes are discarded; default: all changes, unless hunks are passed',
        ),
      ),
      hunks: v.optional(
        described(
          v.pipe(v.array(HunkLines), v.minLength(1), v.maxLength(DISCARD_PATHS_MAX)),
          'Single hunks to discard, as in the diff against HEAD',
        ),
      ),
    }),
    output: v.object({
      recoveryRef: described(v.string(), 'Ref with the state before the discard; kept for 30 days'),
      files: described(v.number(), 'Number of files whose changes were discarded'),
      leftOut: described(
        v.array(v.string()),
        'Paths that were not discarded: nested repositories, files that could not be saved, and files replaced by a folder that contains other files',
      ),
    }),
  }),
  operation({
    name: 'worktrees.undoDiscard',
    summary: 'Bring back discarded changes as unstaged changes; changes made since then are kept',
    access: 'self',
    ids,
    rest: { method: 'POST', path: '/worktrees/:worktreeId/undo-discard' },
    cli: { command: 'worktrees undo-discard', positional: ['worktreeId', 'recoveryRef'] },
    input: v.strictObject({
      worktreeId,
      recoveryRef: v.optional(
        described(
          v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
          'Ref returned by the discard; default: the ref of the last discard in this worktree',
        ),
      ),
    }),
    output: v.object({
      recoveryRef: described(v.string(), 'Ref with the state before the discard was undone; kept for 30 days'),
      files: described(v.number(), 'Number of files whose discarded changes were restored'),
    }),
  }),
  operation({
    name: 'worktrees.updateFromBase',
    summary: "Bring new commits of the base branch into a worktree's branch",
    access: 'self',
    ids,
    idempotent: true,
    rest: { method: 'POST', path: '/worktrees/:worktreeId/update-from-base', status: 202 },
    cli: {
      command: 'worktrees update-from-base',
      positional: ['worktreeId'],
      here: ['worktreeId'],
      job: {
        isSuccess: ({ commit }) => commit !== null,
        noteOf: ({ commit, before, base }) => (commit === before ? `Already up to date with ${base}.` : undefined),
      },
    },
    example: { strategy: 'rebase' },
    input: v.strictObject({
      worktreeId,
      strategy: v.optional(
        described(
          v.picklist(['merge', 'rebase']),
          "merge: merge the base into the branch; rebase: reapply the branch's commits on top of the base",
        ),
        'rebase',
      ),
      fetch: v.optional(
        described(
          v.boolean(),
          'Fetch the upstream of the base first, and fast-forward the base to it; default: true if you may integrate into the base',
        ),
      ),
      wait: Wait,
    }),
    output: StartedJob,
  }),
  operation({
    name: 'worktrees.push',
    summary: "Push a worktree's branch to its upstream; if it has none, set one",
    access: 'member',
    ids,
    idempotent: true,
    rest: { method: 'POST', path: '/worktrees/:worktreeId/push', status: 202 },
    cli: {
      command: 'worktrees push',
      also: ['push'],
      positional: ['worktreeId'],
      here: ['worktreeId'],
      job: { isSuccess: (result) => result.dryRun !== true || isAccepted(result) },
    },
    input: v.strictObject({
      worktreeId,
      force: v.optional(
        described(
          v.boolean(),
          'Replace the remote branch if it has not changed since the last fetch (--force-with-lease)',
        ),
        false,
      ),
      dryRun: dryRun('Push nothing; the result has the remote, the branch and the commits, as of the last fetch'),
      wait: Wait,
    }),
    output: StartedJob,
  }),
  operation({
    name: 'worktrees.pullRequest',
    summary: "Push a worktree's branch and create a pull request with the repository's command, or gh",
    access: 'member',
    ids,
    idempotent: true,
    rest: { method: 'POST', path: '/worktrees/:worktreeId/pull-request', status: 202 },
    cli: {
      command: 'worktrees pull-request',
      also: ['pr'],
      positional: ['worktreeId'],
      here: ['worktreeId'],
      job: { isSuccess: ({ dryRun, push }) => dryRun !== true || isAccepted(push as Record<string, unknown>) },
    },
    example: { title: 'Return search results within 20 ms' },
    input: v.strictObject({
      worktreeId,
      title: v.optional(described(Title, "Title of the pull request; default: the session's title or the branch")),
      body: v.optional(
        described(LongText, 'Description of the pull request; default: the result that the agent reported'),
      ),
      draft: v.optional(described(v.boolean(), 'Create the pull request as a draft'), false),
      dryRun: dryRun(
        'Push nothing and create nothing; the result has the title, the base, the command, and what would be pushed',
      ),
      wait: Wait,
    }),
    output: StartedJob,
  }),
] as const;
