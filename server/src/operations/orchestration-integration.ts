import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import type { Caller } from '../domain/caller.ts';
import { authorOf } from '../engine/author.ts';
import type { OrchestrationActions } from '../engine/orchestrations/actions.ts';
import type { JobRow, OrchestrationRow } from '../ports/rows.ts';
import { callOf } from './integration-cleanup.ts';
import { planOf } from './integrations.ts';
import type { OperationContext } from './operation.ts';
import { creatorOf } from './orchestration-actions.ts';
import { worktreeChangeOperations } from './worktree-changes.ts';
import { worktreeCreation } from './worktree-creation.ts';

type IntegrationActions = Pick<OrchestrationActions, 'prepareTarget' | 'integrate' | 'check'>;

/**
 * Creates the actions with which an orchestration integrates the branches of its agents. They have the access of a
 * person, even if an agent created the orchestration, because the target branch was checked at its creation.
 */
export function createOrchestrationIntegration(context: () => OperationContext): IntegrationActions {
  return {
    async prepareTarget(orchestration, into) {
      const { storage } = context();
      const { repositoryId, base } = orchestration;
      const find = () => storage.read.worktrees.first({ repositoryId, branch: into, state: ['creating', 'ready'] });
      const found = await find();
      if (found?.state === 'ready') return found;
      if (found !== undefined) return null;
      const input = { repositoryId, mode: 'either', branch: into, baseBranch: base } as const;
      const exists = await context().git.branchExists(await repositoryOf(context(), repositoryId), into);
      const create = worktreeCreation(context())['worktrees.create'];
      await create(
        {
          ...input,
          ...(exists ? { baseBranch: undefined } : {}),
          name: `Integration of ${orchestration.id.slice(-6)}`,
          useRemote: false,
          autoStartSession: false,
          wait: true,
        },
        callOf(personOf(context(), orchestration)),
      );
      const made = await find();
      return made?.state === 'ready' ? made : null;
    },
    async integrate(orchestration, worktreeId, { into, resolve }) {
      const { storage, integrations, ownerId } = context();
      const call = callOf(personOf(context(), orchestration));
      const input = {
        worktreeId,
        into,
        strategy: 'merge',
        resolve,
        requireCheck: false,
        dryRun: false,
        wait: true,
      } as const;
      const plan = await planOf(context(), call, input);
      const caller = creatorOf(orchestration, ownerId);
      const author = authorOf(call);
      const { job } = await storage.write(author, (tx) =>
        integrations.create(tx, author, plan, { caller, resolve, cleanup: null }),
      );
      await integrations.run(job);
    },
    async check(orchestration, worktreeId) {
      const check = worktreeChangeOperations(context())['worktrees.check'];
      const { jobId } = await check({ worktreeId, wait: false }, callOf(personOf(context(), orchestration)));
      await context().worktreeChanges.ended(jobId);
      const job = await context().storage.read.jobs.get(jobId);
      if (job?.error != null) throw failureOf(job.error);
    },
  };
}

function failureOf({ code, message }: NonNullable<JobRow['error']>): ConsoleError {
  return new ConsoleError(code as ErrorCode, message);
}

function personOf({ ownerId }: OperationContext, { createdByUserId }: OrchestrationRow): Caller {
  return { kind: 'user', userId: createdByUserId ?? ownerId, scopes: ['read', 'write'], via: 'peer' };
}

async function repositoryOf({ storage }: OperationContext, repositoryId: string) {
  const repository = await storage.read.repositories.get(repositoryId);
  if (repository === undefined) throw new Error(`repository ${repositoryId} has no row`);
  return repository;
}
