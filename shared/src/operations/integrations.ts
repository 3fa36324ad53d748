import * as v from 'valibot';
import { AGE } from '../columns.ts';
import { described } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix } from '../ids.ts';
import { Integration, IntegrationStrategy } from '../models/integration.ts';
import { Overlap } from '../models/overlap.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { BranchName } from '../ref-name.ts';
import { LongText } from '../text.ts';
import { jobTool, StartedJob, Wait } from './started-job.ts';

const worktreeId = IdPrefix('worktree');
const repositoryId = IdPrefix('repository');
const integrationId = IdPrefix('integration');

const cleanupFields = (byDefault: boolean) => ({
  removeWorktree: v.optional(described(v.boolean(), 'Remove the worktree; it can be restored for 30 days'), byDefault),
  deleteBranch: v.optional(described(v.boolean(), 'Delete the branch; requires removeWorktree'), byDefault),
  archiveSessions: v.optional(described(v.boolean(), 'Stop and archive the sessions of the worktree'), byDefault),
});
const Cleanup = v.strictObject(cleanupFields(false));

const integrateFields = {
  worktreeId,
  strategy: v.optional(
    described(
      IntegrationStrategy,
      'merge: a merge commit; squash: one commit; rebase: reapply the commits on top of the target',
    ),
    'merge',
  ),
  into: v.optional(
    described(
      BranchName,
      'Target branch; default: the base of the worktree, or for an agent the branch of its own worktree',
    ),
  ),
  message: v.optional(
    described(v.pipe(LongText, v.regex(/\S/, 'must not be blank')), 'Message of the merge or squash commit'),
  ),
  requireCheck: v.optional(
    described(v.boolean(), 'Refuse unless the check command has passed for the current commit'),
    false,
  ),
  dryRun: v.optional(described(v.boolean(), 'Only report the conflicts'), false),
  resolve: v.optional(described(v.boolean(), 'Delegate the resolution of conflicts to an agent'), false),
  cleanup: v.optional(described(Cleanup, 'What to clean up after a successful integration')),
};

export const integrations = [
  operation({
    name: 'worktrees.integrate',
    summary: "Merge, squash or rebase a worktree's branch into its base or another branch",
    access: 'self',
    ids: { worktreeId: 'worktree' },
    idempotent: true,
    rest: { method: 'POST', path: '/worktrees/:worktreeId/integrate', status: 202 },
    cli: {
      command: 'worktrees integrate',
      also: ['integrate'],
      positional: ['worktreeId'],
      here: ['worktreeId'],
      job: {
        isSuccess: ({ conflicts }) => Array.isArray(conflicts) && conflicts.length === 0,
        noteOf: ({ commit, before, into }) =>
          commit === before ? `${into} already contained this work, so nothing was merged.` : undefined,
      },
    },
    tool: {
      name: 'integrate_worktree',
      toolset: 'worktrees',
      description:
        "Bring a delegated session's committed work into the branch of your own worktree. On conflicts, nothing changes and they are listed; with resolve, an agent resolves them in a new worktree, which you then integrate. Waits up to 45 s; if still running, repeat the call with the same idempotencyKey.",
      byDefault: true,
      input: v.strictObject({ ...integrateFields, idempotencyKey: IdempotencyKey }),
      ...jobTool,
    },
    example: { strategy: 'squash', message: 'Return search results within 20 ms' },
    input: v.strictObject({ ...integrateFields, wait: Wait }),
    output: StartedJob,
  }),
  operation({
    name: 'integrations.list',
    summary: 'Integrations in a repository, newest first',
    access: 'workspace-read',
    ids: { repositoryId: 'repository', worktreeId: 'worktree' },
    rest: { method: 'GET', path: '/repositories/:repositoryId/integrations' },
    cli: {
      command: 'integrations list',
      positional: ['repositoryId'],
      here: ['repositoryId'],
      columns: ['id', 'branch', 'into', 'strategy', 'state', AGE],
    },
    input: v.strictObject({
      repositoryId,
      worktreeId: v.optional(described(worktreeId, 'Filter by worktree')),
      ...PageInput,
    }),
    output: pageOf(Integration),
  }),
  operation({
    name: 'integrations.get',
    summary: 'One integration',
    access: 'workspace-read',
    ids: { integrationId: 'integration' },
    rest: { method: 'GET', path: '/integrations/:integrationId' },
    cli: { command: 'integrations get', positional: ['integrationId'] },
    input: v.strictObject({ integrationId }),
    output: Integration,
  }),
  operation({
    name: 'integrations.undo',
    summary: 'Set the target branch back to its commit before the integration, if the branch has not moved since',
    access: 'member',
    ids: { integrationId: 'integration' },
    rest: { method: 'POST', path: '/integrations/:integrationId/undo' },
    cli: { command: 'integrations undo', positional: ['integrationId'] },
    input: v.strictObject({ integrationId }),
    output: Integration,
  }),
  operation({
    name: 'integrations.cleanUp',
    summary: 'Archive the sessions of an integrated worktree, remove the worktree and delete its branch',
    access: 'member',
    effect: 'destroy',
    ids: { integrationId: 'integration' },
    rest: { method: 'POST', path: '/integrations/:integrationId/clean-up' },
    cli: {
      command: 'integrations clean-up',
      positional: ['integrationId'],
      isSuccess: ({ cleanup }) => (cleanup as { problems?: unknown[] } | null)?.problems?.length === 0,
    },
    input: v.strictObject({ integrationId, ...cleanupFields(true) }),
    output: Integration,
  }),
  operation({
    name: 'repositories.overlaps',
    summary: 'Pairs of worktrees that change the same files, committed or not, conflicts first',
    access: 'workspace-read',
    ids: { repositoryId: 'repository' },
    rest: { method: 'GET', path: '/repositories/:repositoryId/overlaps' },
    cli: { command: 'repositories overlaps', also: ['overlaps'], positional: ['repositoryId'], here: ['repositoryId'] },
    input: v.strictObject({ repositoryId, ...PageInput }),
    output: pageOf(Overlap),
  }),
] as const;
