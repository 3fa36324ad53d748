import * as v from 'valibot';
import { AgorPage } from '../agor/arguments.ts';
import { AgorRepositories, AgorRepository, agorRepositories, agorRepository } from '../agor/repositories.ts';
import { described } from '../describe.ts';
import { IdPrefix, idOf } from '../ids.ts';
import { Branch, Repository } from '../models/repository.ts';
import { operation } from '../operation.ts';
import { PageInput, pageOf } from '../page.ts';
import { AbsolutePath, Command, Title } from '../text.ts';
import { shortText } from './fields.ts';

const repositoryId = IdPrefix('repository');
const Name = v.pipe(Title, v.minLength(1), v.description('Display name'));
const columns = ['id', 'name', 'defaultBranch', 'path'] as const;

/**
 * An https or ssh URL, or `user@host:path`. git would run commands or read local files for other schemes (`ext::`,
 * `file:`).
 */
const CloneUrl = v.pipe(
  v.string(),
  v.maxLength(2_000),
  v.regex(
    /^(https:\/\/[^\s-][^\s]*|ssh:\/\/[^\s-][^\s]*|[A-Za-z0-9_][A-Za-z0-9_.]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^\s-][^\s]*)$/,
    'must be https://…, ssh://… or user@host:path; register a local repository by its path',
  ),
);

export const repositories = [
  operation({
    name: 'repositories.list',
    summary: 'Registered repositories, oldest first',
    access: 'workspace-read',
    rest: { method: 'GET', path: '/repositories' },
    cli: { command: 'repositories list', columns },
    tool: {
      name: 'agor_repos_list',
      toolset: 'worktrees',
      description: 'List the registered repositories, oldest first: name, path and default branch.',
      input: v.strictObject(AgorPage),
      output: AgorRepositories,
      toResult: agorRepositories,
    },
    input: v.strictObject({ ...PageInput }),
    output: pageOf(Repository),
  }),
  operation({
    name: 'repositories.create',
    summary: 'Register a local git repository by its path, or clone one by URL (a job shows the progress)',
    access: 'member',
    idempotent: true,
    rest: { method: 'POST', path: '/repositories', status: 201, acceptedWith: 'jobId' },
    cli: { command: 'repositories create', positional: ['path'] },
    example: { path: '/home/me/shop' },
    input: v.pipe(
      v.strictObject({
        path: v.optional(
          described(AbsolutePath, 'Absolute path of a checkout or a directory in it; use either path or url'),
        ),
        url: v.optional(described(CloneUrl, 'URL to clone from: https, ssh or user@host:path; use either path or url')),
        name: v.optional(Name),
      }),
      v.check((input) => (input.path === undefined) !== (input.url === undefined), 'pass either `path` or `url`'),
    ),
    output: v.union([Repository, v.object({ jobId: idOf('job', 'Id of the job that clones the repository') })]),
  }),
  operation({
    name: 'repositories.get',
    summary: 'One registered repository',
    access: 'workspace-read',
    ids: { repositoryId: 'repository' },
    rest: { method: 'GET', path: '/repositories/:repositoryId' },
    cli: { command: 'repositories get', positional: ['repositoryId'], here: ['repositoryId'] },
    tool: {
      name: 'agor_repos_get',
      toolset: 'worktrees',
      description: 'One registered repository: its path, default branch, and the commands that run in its worktrees.',
      input: v.strictObject({ repoId: repositoryId }),
      output: AgorRepository,
      names: { repoId: 'repositoryId' },
      toResult: agorRepository,
    },
    input: v.strictObject({ repositoryId }),
    output: Repository,
  }),
  operation({
    name: 'repositories.update',
    summary: 'Change the name, default branch, commands or other settings of a repository',
    access: 'member',
    ownerOnly: ['agentsMayIntegrate', 'runHooks'],
    ids: { repositoryId: 'repository' },
    rest: { method: 'PATCH', path: '/repositories/:repositoryId' },
    cli: { command: 'repositories update', positional: ['repositoryId'] },
    example: { checkCommand: 'npm test' },
    input: v.strictObject({
      repositoryId,
      name: v.optional(Name),
      defaultBranch: v.optional(shortText('Branch from which new branches start by default', 200)),
      setupCommand: v.optional(described(Command, 'Shell command that runs in each new worktree; null clears it')),
      cleanupCommand: v.optional(
        described(Command, 'Shell command that runs before a worktree is removed; null clears it'),
      ),
      checkCommand: v.optional(
        described(Command, 'Shell command that verifies the work and passes with exit code 0; null clears it'),
      ),
      pullRequestCommand: v.optional(
        described(
          Command,
          'Shell command that creates a pull request for the current branch and prints the URL of the pull request; null: use gh pr create',
        ),
      ),
      agentsMayIntegrate: v.optional(
        described(v.boolean(), 'true: agents may integrate into the default branch; false: agents may not'),
      ),
      runHooks: v.optional(
        described(
          v.boolean(),
          'true: git hooks also run for commits and integrations by agents; false: not for agents',
        ),
      ),
    }),
    output: Repository,
  }),
  operation({
    name: 'repositories.remove',
    summary: 'Unregister a repository; its files remain. Its managed worktrees must be removed first',
    access: 'member',
    ids: { repositoryId: 'repository' },
    rest: { method: 'DELETE', path: '/repositories/:repositoryId' },
    cli: { command: 'repositories remove', positional: ['repositoryId'] },
    input: v.strictObject({ repositoryId }),
    output: Repository,
  }),
  operation({
    name: 'repositories.branches',
    summary: 'Local and remote branches of a repository',
    access: 'workspace-read',
    ids: { repositoryId: 'repository' },
    rest: { method: 'GET', path: '/repositories/:repositoryId/branches' },
    cli: {
      command: 'repositories branches',
      positional: ['repositoryId'],
      here: ['repositoryId'],
      columns: ['name', { heading: 'COMMIT', path: 'sha' }, { heading: 'WORKTREE', path: 'worktreePath' }],
    },
    input: v.strictObject({ repositoryId, ...PageInput }),
    output: pageOf(Branch),
  }),
] as const;
