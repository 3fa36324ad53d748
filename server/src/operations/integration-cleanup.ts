import { ConsoleError } from '@agent-console/shared/errors';
import type { CleanupResult } from '@agent-console/shared/models/integration';
import { listNames } from '@agent-console/shared/words';
import type { Call } from '../domain/call.ts';
import type { Caller } from '../domain/caller.ts';
import { createOwnership } from '../engine/access/ownership.ts';
import type { CleanupRequest } from '../engine/integrations/params.ts';
import { toStoredError } from '../engine/present.ts';
import { repositoryRow, worktreeRow } from '../engine/rows.ts';
import { sessionsIn, sessionWithWork } from '../engine/worktrees/occupancy.ts';
import type { CountedRisk } from '../ports/git.ts';
import type { IntegrationRow, SessionRow, WorktreeRow } from '../ports/rows.ts';
import type { OperationContext } from './operation.ts';
import { sessionLifecycle } from './sessions/lifecycle.ts';
import { removeWorktree } from './worktree-removal.ts';

/** This file cleans up after an integration: it archives sessions, removes the worktree and deletes the branch. */

/**
 * Creates a call in the name of `caller` for a job. The job may outlive the call that started it, so it must not use
 * the signal of that call.
 */
export function callOf(caller: Caller): Call {
  return { caller, surface: 'rest', signal: new AbortController().signal };
}

/** Returns a session's name for an error. Private sessions are not named, as they may be hidden from the caller. */
function nameOf({ id, title, visibility }: SessionRow): string {
  return visibility === 'private' ? 'A private session' : `Session ${id} "${title}"`;
}

/**
 * Does as much of the clean-up as possible. While a session in the worktree has an unfinished task, the worktree and
 * all of its sessions are kept, because the agent may continue the work. Completed steps are skipped, so that the
 * clean-up can be repeated after a crash.
 */
export async function cleanUpAfter(
  context: OperationContext,
  row: IntegrationRow,
  request: CleanupRequest,
  caller: Caller,
): Promise<CleanupResult> {
  const { storage, git } = context;
  const result: CleanupResult = {
    worktreeRemoved: false,
    branchDeleted: false,
    sessionsArchived: [],
    problems: [],
    warnings: [],
  };
  const worktree = await worktreeRow(storage.read.worktrees, row.worktreeId);
  const attempt = async (work: () => Promise<void>) => {
    try {
      await refuseUnfinishedTask(context, worktree, caller);
      await work();
    } catch (error) {
      const { code, message } = toStoredError(error);
      if (code === 'INTERNAL') context.onError(error, { integrationId: row.id });
      if (!result.problems.includes(message)) result.problems.push(message);
    }
  };
  if (request.archiveSessions) {
    for (const session of await sessionsIn(storage.read, worktree)) {
      // The result omits a session that was archived before the integration began, because this clean-up did not
      // archive it.
      if (session.archivedAt !== null && session.archivedAt < row.createdAt) continue;
      await attempt(async () => {
        await archive(context, session, caller);
        result.sessionsArchived.push(session.id);
      });
    }
  }
  if (request.removeWorktree) {
    await attempt(async () => {
      result.warnings = await remove(context, worktree, caller);
      result.worktreeRemoved = true;
    });
  }
  if (request.deleteBranch && result.worktreeRemoved) {
    await attempt(async () => {
      const repository = await repositoryRow(storage.read.repositories, row.repositoryId);
      await git.deleteBranch(repository, row.branch, row.sourceSha);
      result.branchDeleted = true;
    });
  }
  return result;
}

/** @throws CONFLICT while a session in the worktree, other than the caller's own, has an unfinished task. */
async function refuseUnfinishedTask(context: OperationContext, worktree: WorktreeRow, caller: Caller): Promise<void> {
  const own = caller.kind === 'worker' ? caller.sessionId : undefined;
  const session = await sessionWithWork(context.storage.read, worktree, own);
  if (session === undefined) return;
  const message = `${nameOf(session)} has an unfinished task, so worktree ${worktree.name} and its sessions were kept. When the task has ended, clean up after this integration.`;
  throw new ConsoleError('CONFLICT', message, { worktreeId: worktree.id });
}

/**
 * Stops and archives a session.
 * @throws PERMISSION_DENIED if the caller may not archive it.
 */
async function archive(context: OperationContext, session: SessionRow, caller: Caller): Promise<void> {
  if (session.archivedAt !== null) return;
  const ownership = createOwnership(context.storage.read, context.ownerId);
  const { relation, ownedBy } = await ownership.relationTo(caller, session.id);
  const name = nameOf(session);
  const refusal = (why: string) => new ConsoleError('PERMISSION_DENIED', `${name} ${why}, so it was not archived.`);
  if (caller.kind === 'worker' && relation === 'own') throw refusal('is your own session');
  if (relation === 'other' || relation === 'parent') throw refusal(`belongs to ${ownedBy ?? 'somebody else'}`);
  const { 'sessions.stop': stop, 'sessions.archive': archiveSession } = sessionLifecycle(context);
  await stop({ sessionId: session.id }, callOf(caller));
  await archiveSession({ sessionId: session.id }, callOf(caller));
}

/**
 * Removes the worktree unless it has uncommitted or untracked files, or an unfinished git operation. Commits remain on
 * the branch. Returns the warnings of the removal.
 * @throws CONFLICT with the reason if the worktree is kept.
 */
async function remove(context: OperationContext, worktree: WorktreeRow, caller: Caller): Promise<string[]> {
  if (worktree.state === 'removed') return [];
  const { warnings } = await removeWorktree(context, callOf(caller), worktree.id, {
    force: true,
    refuse: (risk) => refuseChanges(worktree, risk),
  });
  return warnings;
}

function refuseChanges({ name }: WorktreeRow, { uncommitted, untracked, inProgress, counts }: CountedRisk): void {
  const changed = listNames([...uncommitted, ...untracked], counts.uncommitted + counts.untracked);
  if (changed === '' && inProgress === null) return;
  const why =
    changed === ''
      ? `a ${inProgress?.operation} is in progress`
      : `it has changes that were not integrated: ${changed}`;
  throw new ConsoleError('CONFLICT', `Worktree ${name} was kept, because ${why}.`);
}
