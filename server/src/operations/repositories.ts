import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { firstFreeName } from '../domain/branch-name.ts';
import type { Call } from '../domain/call.ts';
import { LIVE_WORKER, PRESENT_STATES } from '../domain/states.ts';
import { authorOf } from '../engine/changes/author.ts';
import { presentRepository } from '../engine/present.ts';
import { repositoryRow } from '../engine/rows.ts';
import { retryWhileBusy } from '../engine/scheduling/jobs.ts';
import { cloneName, folderOf, registerRepository } from '../engine/worktrees/register-repository.ts';
import type { Transaction } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf, slicePage } from './paging.ts';

function listRepositories({ storage }: OperationContext): Implementation<'repositories.list'> {
  return (input) => pageOf(storage.read.repositories, { removedAt: null }, input, presentRepository);
}

function getRepository({ storage }: OperationContext): Implementation<'repositories.get'> {
  return async ({ repositoryId }) => presentRepository(await repositoryRow(storage.read.repositories, repositoryId));
}

function listBranches({ storage, git }: OperationContext): Implementation<'repositories.branches'> {
  return async ({ repositoryId, ...page }) => {
    const repository = await repositoryRow(storage.read.repositories, repositoryId);
    return slicePage(await git.branches(repository), page);
  };
}

async function startClone(
  context: OperationContext,
  call: Call,
  url: string,
  name: string | undefined,
): Promise<{ jobId: string }> {
  const author = authorOf(call);
  const named = { name, suggestedName: cloneName(url) };
  const { job, target } = await context.storage.write(author, async (tx) => {
    const target = await freeTarget(context, tx, url);
    // The job does not store the URL, because the URL may contain a password, and nothing needs it after a restart.
    const created = await context.jobs.create(tx, author, 'repository-clone', { target, ...named });
    await tx.remember({ jobId: created.id });
    return { job: created, target };
  });
  void context.jobs.run(job, async (progress) => {
    progress(0, 'connecting');
    const facts = await context.git.clone(url, target, progress);
    const { idempotency, ...owner } = author;
    const row = await retryWhileBusy(() => registerRepository(context, owner, facts, named));
    return { repositoryId: row.id };
  });
  return { jobId: job.id };
}

const targetIn = (folder: string) => join(folder, 'repository');

/**
 * Returns the target folder of a clone, named after its URL. If the name is taken, appends a number to it. The target
 * of a running clone is taken, although it does not exist before the clone is complete.
 */
async function freeTarget({ host }: OperationContext, tx: Pick<Transaction, 'jobs'>, url: string): Promise<string> {
  const running = await tx.jobs.find({ kind: 'repository-clone', state: 'running' });
  const reserved = new Set(running.map(({ params }) => params.target));
  const isTaken = async (folder: string) => reserved.has(targetIn(folder)) || host.isFolder(targetIn(folder));
  return targetIn(await firstFreeName(join(host.repositoriesDir, folderOf(url, url)), isTaken));
}

function createRepository(context: OperationContext): Implementation<'repositories.create'> {
  return async ({ path, url, name }, call) => {
    if (url !== undefined) return startClone(context, call, url, name);
    const facts = await context.git.inspect(path ?? '');
    return presentRepository(await registerRepository(context, authorOf(call), facts, { name }));
  };
}

function updateRepository({ storage, git }: OperationContext): Implementation<'repositories.update'> {
  return async ({ repositoryId, ...changes }, call) => {
    const patch = omitUndefined(changes);
    if (patch.defaultBranch !== undefined) {
      const repository = await repositoryRow(storage.read.repositories, repositoryId);
      if (!(await git.branchExists(repository, patch.defaultBranch))) {
        throw new ConsoleError(
          'VALIDATION',
          `This repository has no branch ${patch.defaultBranch}. Choose one of its branches.`,
          {
            branch: patch.defaultBranch,
          },
        );
      }
    }
    return storage.write(authorOf(call), async (tx) => {
      await tx.repositories.update(repositoryId, patch);
      await tx.record({
        type: 'repository.updated',
        subject: { kind: 'repository', id: repositoryId },
        data: { repositoryId, changed: Object.keys(patch) },
      });
      return presentRepository(await repositoryRow(tx.repositories, repositoryId));
    });
  };
}

function removeRepository({ storage, now }: OperationContext): Implementation<'repositories.remove'> {
  return ({ repositoryId }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const row = await repositoryRow(tx.repositories, repositoryId);
      const worktrees = await tx.worktrees.find({ repositoryId, kind: 'managed', state: PRESENT_STATES });
      if (worktrees.length > 0) {
        const names = worktrees.map(({ name }) => name).join(', ');
        throw new ConsoleError(
          'CONFLICT',
          `Repository ${row.name} still has managed worktrees: ${names}. Remove them first.`,
          {
            worktreeIds: worktrees.map(({ id }) => id),
          },
        );
      }
      const sessions = await tx.sessions.find({ repositoryId, removedAt: null, archivedAt: null });
      const live = await tx.workers.find({ sessionId: sessions.map(({ id }) => id), ...LIVE_WORKER });
      if (live.length > 0) {
        const ids = new Set(live.map((worker) => worker.sessionId));
        // The error names no private sessions, because the caller may not be allowed to see them.
        const visible = sessions.filter(({ id, visibility }) => ids.has(id) && visibility !== 'private');
        throw new ConsoleError('CONFLICT', `Sessions in repository ${row.name} are live. Stop them first.`, {
          sessionIds: visible.map(({ id }) => id),
        });
      }
      for (const worktree of await tx.worktrees.find({ repositoryId, state: 'ready' })) {
        await tx.worktrees.update(worktree.id, { state: 'removed' });
      }
      await tx.repositories.update(repositoryId, { removedAt: now().toISOString() });
      await tx.record({
        type: 'repository.removed',
        subject: { kind: 'repository', id: repositoryId },
        data: { repositoryId, name: row.name },
      });
      return presentRepository(row);
    });
}

export function repositoryOperations(context: OperationContext) {
  return {
    'repositories.list': listRepositories(context),
    'repositories.create': createRepository(context),
    'repositories.get': getRepository(context),
    'repositories.update': updateRepository(context),
    'repositories.remove': removeRepository(context),
    'repositories.branches': listBranches(context),
  } satisfies Partial<Implementations>;
}
