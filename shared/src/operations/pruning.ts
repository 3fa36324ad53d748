import * as v from 'valibot';
import { described, wholeNumber } from '../describe.ts';
import { IdPrefix } from '../ids.ts';
import { PRUNABLE_ARCHIVED_DAYS, PRUNABLE_ARCHIVED_DAYS_MAX, PRUNE_MAX } from '../limits/worktrees.ts';
import { PrunableWorktree, PrunedWorktree } from '../models/prunable.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';

const repositoryId = IdPrefix('repository');

export const pruning = [
  operation({
    name: 'repositories.prunable',
    summary: 'Worktrees that can be removed (merged, unchanged, or with sessions archived long ago), with their sizes',
    access: 'workspace-read',
    ids: { repositoryId: 'repository' },
    rest: { method: 'GET', path: '/repositories/:repositoryId/prunable' },
    cli: {
      command: 'repositories prunable',
      positional: ['repositoryId'],
      columns: ['worktreeId', 'name', 'branch', 'reasons', 'dirtyFiles', 'bytes'],
    },
    input: v.strictObject({
      repositoryId,
      archivedDays: v.optional(
        wholeNumber(
          'Include worktrees whose sessions were all archived at least this many days ago',
          0,
          PRUNABLE_ARCHIVED_DAYS_MAX,
        ),
        PRUNABLE_ARCHIVED_DAYS,
      ),
      ...PageInput,
    }),
    output: pageOf(PrunableWorktree),
  }),
  operation({
    name: 'repositories.prune',
    summary: 'Remove several prunable worktrees after saving their contents; each can be restored for 30 days',
    access: 'member',
    effect: 'destroy',
    ids: { repositoryId: 'repository', worktreeIds: 'worktree' },
    rest: { method: 'POST', path: '/repositories/:repositoryId/prune' },
    cli: {
      command: 'repositories prune',
      also: ['prune'],
      positional: ['repositoryId', 'worktreeIds'],
      rows: 'results',
      columns: ['worktreeId', 'removed', 'branchDeleted', 'recoveryRef', 'error', 'warnings'],
      isSuccess: ({ results }) =>
        Array.isArray(results) && results.every(({ error }: { error: string | null }) => error === null),
    },
    input: v.strictObject({
      repositoryId,
      worktreeIds: described(
        v.pipe(v.array(IdPrefix('worktree')), v.minLength(1), v.maxLength(PRUNE_MAX)),
        `Worktrees to remove, by id or prefix; at most ${PRUNE_MAX}`,
      ),
      deleteBranches: v.optional(
        described(
          v.boolean(),
          'Also delete branches whose work the base contains. If a worktree was already removed, pass its id to delete its branch',
        ),
        false,
      ),
      dryRun: v.optional(described(v.boolean(), 'Only report; remove nothing'), false),
    }),
    output: v.object({ results: described(v.array(PrunedWorktree), 'Removal result for each worktree') }),
  }),
] as const;
