import { basename, dirname } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { EventDataOf } from '@agent-console/shared/models/event-data';
import { LIVE_STATES } from '../domain/states.ts';
import type { JobRow } from '../ports/rows.ts';
import type { Readers } from '../ports/storage.ts';
import { finishAnswers } from './approvals/answers.ts';
import { undoCopies } from './boards/copies.ts';
import { SYSTEM } from './changes/author.ts';
import type { EngineContext } from './context.ts';
import { followDelegation } from './delegations/job.ts';
import { sweepValues } from './mcp-servers/values.ts';
import { recoverMessages } from './orchestrations/messages.ts';
import { sweepRemovedWorkers } from './processes/removed-workers.ts';
import { endStoppedTerminals } from './processes/stopped-terminals.ts';
import { sweepImages } from './sessions/images.ts';
import { abandonWorktree } from './worktrees/abandon.ts';
import { worktreesOf } from './worktrees/agent-limits.ts';
import { recoverWorktrees } from './worktrees/recover.ts';
import { registerRepository } from './worktrees/register-repository.ts';

type Needs = Pick<
  EngineContext,
  | 'storage'
  | 'hub'
  | 'git'
  | 'checks'
  | 'processes'
  | 'protocol'
  | 'runner'
  | 'integrations'
  | 'worktreeChanges'
  | 'saga'
  | 'orchestrationScheduler'
  | 'orchestrationFiles'
  | 'reconciler'
  | 'watcher'
  | 'jobs'
  | 'maker'
  | 'host'
  | 'privateValues'
  | 'images'
  | 'now'
  | 'newId'
>;
type OnError = (error: unknown, about: Record<string, unknown>) => void;

/** Continues the unfinished work of the previous server. A failure in one part does not stop the other parts. */
export async function recover(needs: Needs, onError: OnError): Promise<void> {
  await needs.storage.write(SYSTEM, (tx) => tx.idempotency.markUndelivered());
  await needs.git
    .sweep()
    .catch((error) => onError(error, { about: 'removing old processes and temporary files of git' }));
  await needs.checks.sweep().catch((error) => onError(error, { about: 'removing data of interrupted agent checks' }));
  await sweepValues(needs).catch((error) => onError(error, { about: 'removing unused private values' }));
  await sweepImages(needs, { isStarting: true }).catch((error) => onError(error, { about: 'removing unused images' }));
  await recoverMessages(needs, (error, noticeId) => onError(error, { noticeId }));
  await needs.processes.recover();
  await sweepRemovedWorkers(needs).catch((error) => onError(error, { about: 'removing files of removed workers' }));
  await needs.integrations.recover(onError).catch((error) => onError(error, { about: 'integrations' }));
  // Before the jobs, because the clean-up after an integration may remove worktrees.
  await recoverWorktrees(needs, onError);
  for (const job of await needs.jobs.unfinished()) {
    await recoverJob(needs, job, onError).catch((error) => onError(error, { jobId: job.id }));
  }
  await needs.saga.recover();
  await needs.orchestrationScheduler.recover().catch((error) => onError(error, { about: 'orchestrations' }));
  await sweepWorktrees(needs, onError);
  const { sessions, tasks, workers } = needs.storage.read;
  const open = await sessions.find({ mark: ['open', 'paused'], archivedAt: null, removedAt: null });
  const live = await workers.find({ type: 'agent', state: LIVE_STATES });
  // A session marked completed or failed finishes its running task, whose agent may not have been stored yet.
  const working = await tasks.distinct({ status: 'running' }, 'sessionId');
  const ids = new Set([...open.map(({ id }) => id), ...live.map(({ sessionId }) => sessionId), ...working]);
  for (const sessionId of ids) needs.reconciler.schedule(sessionId);
  // Recovery does not wait for the terminals, because each may take seconds to end.
  endStoppedTerminals(needs, (error, workerId) => onError(error, { workerId })).catch((error) =>
    onError(error, { about: 'ending terminals of stopped sessions' }),
  );
  // Finishes answers that the previous server had begun to type. Recovery does not wait for them, because each answer
  // waits until the agent's screen can be read.
  void finishAnswers(needs, (error, approvalId) => onError(error, { approvalId }));
}

const RESTARTED = new ConsoleError(
  'BUSY',
  'The server was restarted before this operation finished, and partial work was undone. Try again.',
);

const NOT_UNDONE = new ConsoleError(
  'BUSY',
  'The server was restarted before this operation finished, and its partial work could neither be completed nor undone. See the server log for the reason, and try again.',
);

/** Continues an interrupted job if possible. Otherwise stores its result. */
async function recoverJob(needs: Needs, job: JobRow, onError: OnError): Promise<void> {
  // An interrupted dry run is not repeated, because nobody waits for its result any more.
  if (job.params.dryRun === true) return needs.jobs.fail(job, RESTARTED);
  if (needs.worktreeChanges.handles(job.kind)) {
    void needs.worktreeChanges.run(job);
    return;
  }
  const { delegationId, integrationId } = job.params as Partial<Record<'delegationId' | 'integrationId', string>>;
  if (delegationId !== undefined) {
    // Recovery does not wait for this job, because the delegation continues in the background.
    void followDelegation(needs, job, delegationId);
    return;
  }
  if (integrationId !== undefined) {
    void needs.integrations.run(job);
    return;
  }
  // The job ends even if its partial work cannot be undone, because `sweepWorktrees`, which tries again, skips the
  // worktrees of unfinished jobs.
  const result = await resultOf(needs, job).catch((error) => {
    onError(error, { jobId: job.id });
    return NOT_UNDONE;
  });
  await (result instanceof ConsoleError ? needs.jobs.fail(job, result) : needs.jobs.succeed(job, result));
}

/**
 * Returns the result of an interrupted job that is not continued, or its error. Complete work is kept, partial work is
 * discarded.
 */
async function resultOf(needs: Needs, job: JobRow): Promise<Record<string, unknown> | ConsoleError> {
  const { worktreeId, target, boardId, name, suggestedName } = job.params as Partial<
    Record<'worktreeId' | 'target' | 'boardId' | 'name' | 'suggestedName', string>
  >;
  const { read } = needs.storage;
  if (worktreeId !== undefined) {
    const worktree = await read.worktrees.get(worktreeId);
    if (worktree?.state === 'ready') {
      const { branch, path: worktreePath } = worktree;
      return { worktreeId, branch, worktreePath, ...(await sessionStartedIn(read, worktreeId)) };
    }
    await abandonWorktree(needs, worktreeId, { code: RESTARTED.code, message: RESTARTED.message });
  }
  if (boardId !== undefined) {
    if ((await read.boards.get(boardId)) !== undefined) return { boardId };
    await undoCopies(needs, worktreesOf(job.params), RESTARTED);
  }
  if (target !== undefined) {
    // Repositories are stored with their real paths, but the data directory may be a link.
    const path = await needs.host.realPath(target);
    const repository = await read.repositories.first({ path, removedAt: null });
    if (repository !== undefined) return { repositoryId: repository.id };
    const facts = (await needs.host.isFolder(target)) ? await needs.git.inspect(target).catch(() => null) : null;
    if (facts !== null) {
      // Jobs of earlier builds do not store `suggestedName`. The folder around the clone is named after the URL.
      const named = { name, suggestedName: suggestedName ?? basename(dirname(target)) };
      const { id } = await registerRepository(needs, { actor: job.actor }, facts, named);
      return { repositoryId: id };
    }
    await needs.git.discardClone(target);
  }
  return RESTARTED;
}

/**
 * Returns the ids of the session that was requested together with the worktree, and of the task with its first prompt,
 * as far as they exist.
 */
async function sessionStartedIn(read: Readers, worktreeId: string): Promise<{ sessionId?: string; taskId?: string }> {
  const session = await read.sessions.first({ worktreeId });
  if (session === undefined) return {};
  const task = await read.tasks.first({ sessionId: session.id, kind: 'prompt' });
  return { sessionId: session.id, ...(task === undefined ? {} : { taskId: task.id }) };
}

/**
 * Discards worktrees whose creation failed and could not be undone, because such worktrees keep their branches
 * occupied.
 */
export async function sweepWorktrees(
  needs: Pick<Needs, 'storage' | 'maker' | 'jobs'>,
  onError: OnError,
  signal?: AbortSignal,
): Promise<void> {
  const { read } = needs.storage;
  // Reads the worktrees before the jobs, because a worktree whose creation starts in between must not be discarded.
  const worktrees = await read.worktrees.find({ state: 'creating' });
  const jobs = await needs.jobs.unfinished();
  for (const { id } of worktrees) {
    if (signal?.aborted) return;
    const delegated = await read.delegations.count({ worktreeId: id, state: { not: 'rejected' } });
    if (delegated > 0 || jobs.some((job) => worktreesOf(job.params).includes(id))) continue;
    await abandonWorktree(needs, id, { code: RESTARTED.code, message: RESTARTED.message }).catch((error) =>
      onError(error, { worktreeId: id }),
    );
  }
}

/** Records the start of this server, and the crash of the previous server if it crashed. */
export async function announce(
  { storage }: Pick<EngineContext, 'storage'>,
  about: { pid: number; port: number; version: string; crash: EventDataOf<'server.crashed'> | null },
): Promise<void> {
  const { crash, ...facts } = about;
  await storage.write(SYSTEM, async (tx) => {
    const subject = { kind: 'server', id: 'server' } as const;
    if (crash !== null) await tx.record({ type: 'server.crashed', subject, data: crash });
    await tx.record({ type: 'server.started', subject, data: facts });
  });
}
