import * as v from 'valibot';
import { AgorPage } from '../agor/arguments.ts';
import {
  AgorWorktree,
  AgorWorktreeCreated,
  AgorWorktrees,
  agorWorktree,
  agorWorktreeCreated,
  agorWorktrees,
} from '../agor/worktrees.ts';
import { worktreeColumns } from '../columns.ts';
import { described, wholeNumber } from '../describe.ts';
import { IdempotencyKey } from '../idempotency.ts';
import { IdPrefix, idOf } from '../ids.ts';
import { BOARD_EXTENT } from '../limits/boards.ts';
import { JOB_WAIT_SECONDS } from '../limits/calls.ts';
import { AgentId } from '../models/agent.ts';
import { Job } from '../models/job.ts';
import { RemovalRisk, Worktree, WorktreeDiff, WorktreeFile } from '../models/worktree.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { toPatch } from '../patch.ts';
import { BranchName, Commitish } from '../ref-name.ts';
import { removalText } from '../removal-text.ts';
import { InnerPath, PromptText, Title } from '../text.ts';
import { McpServerIds } from './mcp-servers.ts';

const repositoryId = IdPrefix('repository');
const worktreeId = IdPrefix('worktree');
const optionalRepositoryId = (byDefault: string) =>
  v.optional(described(repositoryId, `Repository, by id or prefix; default: ${byDefault}`));
const Name = v.pipe(Title, v.minLength(1), v.description('Display name'));
const warnings = described(v.array(v.string()), 'Problems that did not stop the operation');
const Coordinate = v.nullable(v.pipe(v.number(), v.minValue(-BOARD_EXTENT), v.maxValue(BOARD_EXTENT)));

export const worktrees = [
  operation({
    name: 'worktrees.list',
    summary:
      'Worktrees of one repository or of all: main checkouts, managed worktrees, and worktrees created elsewhere with git',
    access: 'workspace-read',
    ids: { repositoryId: 'repository' },
    rest: {
      method: 'GET',
      path: '/worktrees',
      also: { 'worktrees.listOfRepository': '/repositories/:repositoryId/worktrees' },
    },
    cli: {
      command: 'worktrees list',
      positional: ['repositoryId'],
      here: ['repositoryId'],
      everywhere: 'all',
      columns: worktreeColumns,
    },
    tool: {
      name: 'agor_worktrees_list',
      toolset: 'worktrees',
      description:
        'List the worktrees of a repository: its main checkout, managed worktrees, and worktrees created elsewhere with git.',
      input: v.strictObject({
        repoId: optionalRepositoryId('for an agent its own repository, otherwise all repositories'),
        ...AgorPage,
      }),
      output: AgorWorktrees,
      names: { repoId: 'repositoryId' },
      toResult: agorWorktrees,
    },
    input: v.pipe(
      v.strictObject({
        repositoryId: optionalRepositoryId('for an agent its own repository, otherwise all repositories'),
        all: v.optional(described(v.boolean(), 'List the worktrees of all repositories'), false),
        ...PageInput,
      }),
      v.check(({ all, repositoryId: of }) => !all || of === undefined, 'pass either `repositoryId` or `all`'),
    ),
    output: pageOf(Worktree),
  }),
  operation({
    name: 'worktrees.create',
    summary:
      'Create a worktree, optionally with a session (a delegation if called by an agent); a job shows the progress',
    access: 'self',
    ids: { repositoryId: 'repository', mcpServerIds: 'mcpServer' },
    idempotent: true,
    rest: { method: 'POST', path: '/repositories/:repositoryId/worktrees', status: 202 },
    cli: { command: 'worktrees create', positional: ['repositoryId'], here: ['repositoryId'] },
    tool: {
      name: 'agor_worktrees_create',
      toolset: 'worktrees',
      description:
        'Create a git worktree for a branch. A branch that exists and is checked out nowhere else is checked out. Otherwise a new branch starts at the default branch. Returns when the worktree is ready, or after 45 s with state "creating".',
      input: v.strictObject({
        repoId: repositoryId,
        branch: BranchName,
        name: v.optional(Name),
        idempotencyKey: IdempotencyKey,
      }),
      output: AgorWorktreeCreated,
      names: { repoId: 'repositoryId' },
      toInput: (args: Record<string, unknown>) => ({ ...args, mode: 'either', wait: true }),
      toResult: agorWorktreeCreated,
    },
    example: { mode: 'custom', branch: 'faster-search', baseBranch: 'main' },
    input: v.strictObject({
      repositoryId,
      mode: described(
        v.picklist(['prompt', 'custom', 'existing', 'either']),
        'prompt: a new branch named after the prompt; custom: a new branch with the given name; existing: an existing branch; either: an existing branch if there is one, otherwise a new branch',
      ),
      name: v.optional(Name),
      wait: v.optional(
        described(v.boolean(), 'Wait up to 45 s for the end of the job, and also return the worktree'),
        false,
      ),
      prompt: v.optional(
        described(PromptText, 'First prompt of the session; with mode prompt, the branch is named after it'),
      ),
      branch: v.optional(BranchName),
      baseBranch: v.optional(
        described(
          Commitish,
          'Branch, tag or commit from which a new branch starts; with useRemote, also a remote ref such as pull/123/head',
        ),
      ),
      useRemote: v.optional(described(v.boolean(), 'Fetch baseBranch from origin first'), false),
      autoStartSession: v.optional(
        described(
          v.boolean(),
          'Also start a session in the worktree, with the prompt if given. A call by an agent is a delegation, which requires a prompt',
        ),
        false,
      ),
      agentId: v.optional(
        described(
          AgentId,
          "Id of the session's agent definition; default: the caller's own, otherwise the setting defaultAgentId",
        ),
      ),
      title: v.optional(described(Title, 'Title of the session')),
      mcpServerIds: v.optional(McpServerIds),
    }),
    output: v.object({
      jobId: idOf('job', 'Id of the job that creates the worktree; GET /jobs/{jobId} shows its progress'),
      worktree: v.optional(described(Worktree, 'The worktree; absent without wait')),
    }),
  }),
  operation({
    name: 'worktrees.get',
    summary: 'One worktree with its git state',
    access: 'workspace-read',
    ids: { worktreeId: 'worktree' },
    rest: { method: 'GET', path: '/worktrees/:worktreeId' },
    cli: { command: 'worktrees get', positional: ['worktreeId'], here: ['worktreeId'] },
    tool: {
      name: 'agor_worktrees_get',
      toolset: 'worktrees',
      description:
        'One worktree: its path, branch, commits, whether it has uncommitted changes, and its board position.',
      output: AgorWorktree,
      toResult: agorWorktree,
    },
    input: v.strictObject({ worktreeId }),
    output: Worktree,
  }),
  operation({
    name: 'worktrees.openInEditor',
    summary: 'Open a worktree, or a file in it, in the editor chosen in the settings',
    access: 'owner',
    ids: { worktreeId: 'worktree' },
    rest: { method: 'POST', path: '/worktrees/:worktreeId/open-in-editor' },
    cli: { command: 'worktrees open-in-editor', positional: ['worktreeId', 'path'] },
    example: { path: 'src/search.ts' },
    input: v.strictObject({
      worktreeId,
      path: v.optional(
        described(
          v.pipe(v.string(), v.minLength(1), v.maxLength(4_096)),
          'Path of the file, relative to the worktree; default: the worktree itself',
        ),
      ),
      line: v.optional(wholeNumber('Line number in the file, from 1', 1, 10_000_000)),
    }),
    output: v.object({
      path: described(v.string(), 'Absolute path of the folder or file that was opened'),
      url: described(v.nullable(v.string()), 'Address to open in the browser; null if the console started the editor'),
    }),
  }),
  operation({
    name: 'worktrees.update',
    summary: 'Rename a worktree (its directory and branch are unchanged), or place it on a board',
    access: 'self',
    ids: { worktreeId: 'worktree', boardId: 'board', zoneId: 'zone' },
    rest: { method: 'PATCH', path: '/worktrees/:worktreeId' },
    cli: { command: 'worktrees update', positional: ['worktreeId'] },
    tool: {
      name: 'agor_worktrees_update',
      toolset: 'worktrees',
      description:
        'Rename a worktree that your session uses or that you created, or place it on a board; boardId null removes it from its board.',
      output: AgorWorktree,
      toResult: agorWorktree,
    },
    example: { name: 'search' },
    input: v.strictObject({
      worktreeId,
      name: v.optional(Name),
      boardId: v.optional(
        described(v.nullable(IdPrefix('board')), 'Board for the worktree, by id or prefix, or null for none'),
      ),
      zoneId: v.optional(described(v.nullable(IdPrefix('zone')), 'Zone of the board, or null for none')),
      x: v.optional(described(Coordinate, 'Horizontal position in pixels at normal zoom')),
      y: v.optional(described(Coordinate, 'Vertical position in pixels at normal zoom')),
    }),
    output: Worktree,
  }),
  operation({
    name: 'worktrees.remove',
    summary: 'Remove a managed worktree after saving its contents; refused without force if anything would be lost',
    access: 'member',
    ids: { worktreeId: 'worktree' },
    rest: { method: 'DELETE', path: '/worktrees/:worktreeId' },
    cli: { command: 'worktrees remove', positional: ['worktreeId'], text: removalText },
    input: v.strictObject({
      worktreeId,
      force: v.optional(
        described(
          v.boolean(),
          'Remove the worktree even if files or commits are lost; everything that can be saved is saved first',
        ),
        false,
      ),
    }),
    output: v.object({
      worktree: described(Worktree, 'The removed worktree'),
      recoveryRef: Worktree.entries.recoveryRef,
      lost: described(RemovalRisk, 'What the removal lost, and what it saved'),
      leftOut: RemovalRisk.entries.leftOut,
      warnings,
    }),
  }),
  operation({
    name: 'worktrees.restore',
    summary: 'Restore a removed worktree with its uncommitted changes',
    access: 'member',
    ids: { worktreeId: 'worktree' },
    rest: { method: 'POST', path: '/worktrees/:worktreeId/restore' },
    cli: { command: 'worktrees restore', positional: ['worktreeId'] },
    input: v.strictObject({ worktreeId }),
    output: v.object({ ...Worktree.entries, warnings }),
  }),
  operation({
    name: 'worktrees.diff',
    summary: 'Changes of a worktree against its base, by file and hunk, including uncommitted and untracked files',
    access: 'workspace-read',
    ids: { worktreeId: 'worktree' },
    rest: { method: 'GET', path: '/worktrees/:worktreeId/diff' },
    cli: { command: 'worktrees diff', positional: ['worktreeId'], here: ['worktreeId'], patch: toPatch },
    input: v.strictObject({
      worktreeId,
      base: v.optional(described(Commitish, "Branch, tag or commit to compare with; default: the worktree's own base")),
    }),
    output: WorktreeDiff,
  }),
  operation({
    name: 'worktrees.files',
    summary: 'Files that git tracks in a worktree, and on request untracked ones',
    access: 'workspace-read',
    ids: { worktreeId: 'worktree' },
    rest: { method: 'GET', path: '/worktrees/:worktreeId/files' },
    cli: { command: 'worktrees files', positional: ['worktreeId'], here: ['worktreeId'], columns: ['kind', 'path'] },
    resource: {
      uri: 'agor://worktree/{id}/files',
      name: 'worktree-files',
      description:
        'The files that git tracks in a worktree; with ?untracked=true also untracked ones. Page with ?skip=&limit=; ?path= names a folder in it.',
      id: 'worktreeId',
      offers: { from: 'sessions.list', id: (session: { worktreeId: string | null }) => session.worktreeId },
    },
    example: { query: 'search' },
    input: v.strictObject({
      worktreeId,
      path: v.optional(
        described(InnerPath, 'Return only this file, or the files in this directory of the worktree'),
        '',
      ),
      query: v.optional(
        described(
          InnerPath,
          'Return only files whose path contains these characters in this order, best match first; case does not matter',
        ),
        '',
      ),
      untracked: v.optional(
        described(
          v.boolean(),
          'Also return files that are neither tracked nor ignored, except those of nested repositories',
        ),
        false,
      ),
      ...PageInput,
    }),
    output: pageOf(WorktreeFile),
  }),
] as const;

export const jobs = [
  operation({
    name: 'jobs.get',
    summary: 'State and progress of a background job',
    access: 'workspace-read',
    ids: { jobId: 'job' },
    rest: { method: 'GET', path: '/jobs/:jobId' },
    cli: { command: 'jobs get', positional: ['jobId'] },
    input: v.strictObject({
      jobId: IdPrefix('job'),
      waitSeconds: v.optional(
        wholeNumber(
          `Wait up to this many seconds for the end of the job, at most ${JOB_WAIT_SECONDS}`,
          0,
          JOB_WAIT_SECONDS,
        ),
        0,
      ),
    }),
    output: Job,
  }),
] as const;
