import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import type { Caller } from '../domain/caller.ts';
import { authorOf } from '../engine/changes/author.ts';
import { stepsOf } from '../engine/commands/steps.ts';
import type { OrchestrationActions } from '../engine/orchestrations/actions.ts';
import { runningCheck } from '../engine/worktree-changes/check.ts';
import type { JobRow, OrchestrationRow } from '../ports/rows.ts';
import { callOf } from './integration-cleanup.ts';
import { resolveConflicts } from './integration-resolution.ts';
import { planOf } from './integrations.ts';
import type { OperationContext } from './operation.ts';
import { creatorOf } from './orchestration-actions.ts';
import { worktreeChangeOperations } from './worktree-changes.ts';
import { worktreeCreation } from './worktree-creation.ts';

type IntegrationActions = Pick<OrchestrationActions, 'prepareTarget' | 'integrate' | 'resolve' | 'check' | 'endCheck'>;

/**
 * Creates the actions with which an orchestration integrates the branches of its agents. The actions have the access of
 * a person, even if an agent created the orchestration, because the creation already checked that the agent may choose
 * the target branch.
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
          name: `Integration of orchestration ${orchestration.id.slice(-6)}`,
          useRemote: false,
          autoStartSession: false,
          wait: true,
        },
        callOf(personOf(context(), orchestration)),
      );
      const made = await find();
      return made?.state === 'ready' ? made : null;
    },
    async integrate(orchestration, worktreeId, into) {
      const { storage, integrations, ownerId } = context();
      const call = callOf(personOf(context(), orchestration));
      const input = {
        worktreeId,
        into,
        strategy: 'merge',
        resolve: false,
        requireCheck: false,
        dryRun: false,
        wait: true,
      } as const;
      const plan = await planOf(context(), call, input);
      const caller = creatorOf(orchestration, ownerId);
      const author = authorOf(call);
      const { job } = await storage.write(author, (tx) =>
        integrations.create(tx, author, plan, { caller, resolve: false, cleanup: null }),
      );
      await integrations.run(job);
    },
    async resolve(orchestration, integration) {
      await resolveConflicts(context(), integration, creatorOf(orchestration, context().ownerId), orchestration.id);
    },
    async check(orchestration, worktreeId) {
      const check = worktreeChangeOperations(context())['worktrees.check'];
      const { jobId } = await check(
        { worktreeId, dryRun: false, wait: false },
        callOf(personOf(context(), orchestration)),
      );
      await context().worktreeChanges.ended(jobId);
      const job = await context().storage.read.jobs.get(jobId);
      if (job?.error != null) throw failureOf(job.error);
    },
    async endCheck({ repositoryId, completedAt }, into) {
      const { read } = context().storage;
      const target = await read.worktrees.first({ repositoryId, branch: into, state: 'ready' });
      const check = target && (await runningCheck(read, target.id));
      // A check that began after the orchestration ended was started by somebody else, so it keeps running.
      if (check === undefined || check.createdAt > (completedAt ?? '')) return;
      const commands = Object.values(stepsOf(await read.jobs.get(check.jobId)));
      await Promise.all(commands.map(({ workerId }) => context().processes.end(workerId)));
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
  if (repository === undefined) throw new Error(`repository ${repositoryId} is not in the database`);
  return repository;
}
