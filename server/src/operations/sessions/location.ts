import { ConsoleError } from '@agent-console/shared/errors';
import type { Call } from '../../domain/call.ts';
import { worktreeRow } from '../../engine/rows.ts';
import { notReady, refuseUnsettled } from '../../engine/worktrees/occupancy.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { OperationContext } from '../context.ts';

type Needs = Pick<OperationContext, 'storage' | 'host'>;

/** Where a session runs. Agents start sessions in worktrees of their own repository, never in the main checkout. */
export async function locationOf(
  needs: Needs,
  worktreeId: string | undefined,
  cwd: string | undefined,
  creator: SessionRow | null,
) {
  if (worktreeId === undefined) {
    if (creator !== null)
      throw new ConsoleError('PERMISSION_DENIED', 'Only people start quick sessions; give a worktreeId.', {});
    if (cwd === undefined || !(await needs.host.isFolder(cwd))) {
      throw new ConsoleError('VALIDATION', `cwd: ${cwd} is not a folder on this machine`, { cwd });
    }
    const folder = await needs.host.realPath(cwd);
    await refuseUnsettled(needs.storage.read, folder);
    return { worktree: null, cwd: folder };
  }
  const worktree = await worktreeRow(needs.storage.read.worktrees, worktreeId);
  if (worktree.state !== 'ready') throw notReady(worktree);
  if (creator !== null && (worktree.kind === 'main' || worktree.repositoryId !== creator.repositoryId)) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      'An agent starts sessions only in worktrees of its own repository, not in the main checkout.',
      { worktreeId },
    );
  }
  return { worktree: { id: worktree.id, repositoryId: worktree.repositoryId }, cwd: worktree.path };
}

/** The session a call is about: the one it names, else the caller's own; UNAUTHENTICATED where a person names none. */
export function sessionOrOwn(sessionId: string | undefined, call: Call): string {
  if (sessionId !== undefined) return sessionId;
  if (call.caller.kind === 'worker') return call.caller.sessionId;
  throw new ConsoleError(
    'UNAUTHENTICATED',
    'This call comes from no session. Name one as sessionId where the tool takes it, or call as an agent in a session, with the token that the console gave it.',
    { field: 'sessionId' },
  );
}
