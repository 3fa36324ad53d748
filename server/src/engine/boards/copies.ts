import { basename } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { BOARD_COPY_MS, BOARD_COPY_PARALLEL, BOARD_COPY_WORKTREES_MAX } from '@agent-console/shared/limits/boards';
import type { Call } from '../../domain/call.ts';
import type { JobRow, WorktreeRow } from '../../ports/rows.ts';
import { authorOf } from '../changes/author.ts';
import type { EngineContext } from '../context.ts';
import { repositoryRow } from '../rows.ts';
import { abandonWorktree } from '../worktrees/abandon.ts';
import { refuseMoreWorktrees } from '../worktrees/agent-limits.ts';
import type { CheckoutResult } from '../worktrees/maker.ts';
import { worktreesOn } from './rows.ts';

type Needs = Pick<EngineContext, 'storage' | 'git' | 'jobs' | 'maker' | 'now' | 'newId'>;

/** A worktree to copy, and the id reserved for the copy. */
export interface Copy {
  source: WorktreeRow;
  id: string;
}

/** A copy that is checked out. Its worktree stays `creating` until the board and all copies are stored. */
export interface MadeCopy extends Copy {
  built: CheckoutResult;
}

/** Plans a copy of each managed, ready worktree on the board. */
export async function planCopies({ storage, newId }: Needs, call: Call, boardId: string): Promise<Copy[]> {
  const sources = (await worktreesOn(storage.read, boardId)).filter(
    ({ kind, state }) => kind === 'managed' && state === 'ready',
  );
  if (sources.length > BOARD_COPY_WORKTREES_MAX) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `${sources.length} worktrees are on this board, but at most ${BOARD_COPY_WORKTREES_MAX} can be copied at once. Copy the board without its worktrees.`,
      { limit: BOARD_COPY_WORKTREES_MAX, boardId },
      { retryable: false },
    );
  }
  const repositoryIds = sources.map(({ repositoryId }) => repositoryId);
  await refuseMoreWorktrees(storage.read, repositoryIds, call);
  return sources.map((source) => ({ source, id: newId() }));
}

/**
 * Stores the job that copies the worktrees of a board. After a crash, the next server start discards the copied
 * worktrees, unless the new board `boardId` was already stored.
 */
export function beginCopies({ storage, jobs }: Needs, call: Call, boardId: string, copies: Copy[]): Promise<JobRow> {
  // Leaves out the idempotency key. It is stored in a later transaction, together with the result of the call.
  const { idempotency: _, ...author } = authorOf(call);
  const params = { boardId, worktreeIds: copies.map(({ id }) => id) };
  return storage.write(author, (tx) => jobs.create(tx, author, 'worktree-creation', params));
}

/**
 * Checks out all copies, several at a time. They stay `creating`, so that all of them can be undone. Rejects if one
 * fails.
 */
export async function makeCopies(needs: Needs, call: Call, copies: readonly Copy[]): Promise<MadeCopy[]> {
  const made: MadeCopy[] = [];
  const endsAt = needs.now().getTime() + BOARD_COPY_MS;
  for (let at = 0; at < copies.length; at += BOARD_COPY_PARALLEL) {
    const batch = copies.slice(at, at + BOARD_COPY_PARALLEL);
    const results = await Promise.allSettled(batch.map((copy) => makeCopy(needs, call, copy, endsAt)));
    const failed = results.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    made.push(...results.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])));
  }
  return made;
}

/**
 * Discards the copies that are still `creating`. Ready copies are kept, because they may contain work. If discarding
 * fails, `sweepWorktrees` tries again.
 */
export async function undoCopies(
  { storage, maker }: Pick<EngineContext, 'storage' | 'maker'>,
  worktreeIds: readonly string[],
  error: { code: string; message: string },
): Promise<void> {
  const { code, message } = error;
  for (const id of worktreeIds) {
    if ((await storage.read.worktrees.get(id))?.state !== 'creating') continue;
    await abandonWorktree({ storage, maker }, id, { code, message }).catch(() => undefined);
  }
}

async function makeCopy(needs: Needs, call: Call, { source, id }: Copy, endsAt: number): Promise<MadeCopy> {
  const { storage, git, maker } = needs;
  try {
    if (needs.now().getTime() >= endsAt) {
      throw new ConsoleError(
        'TIMEOUT',
        'the time limit of this call was reached; try again, or copy the board without its worktrees',
      );
    }
    const repository = await repositoryRow(storage.read.repositories, source.repositoryId);
    const currentSha = await git.head({ repository, worktree: source });
    const base = source.branch ?? repository.defaultBranch;
    await maker.alone(repository.id, async () => {
      const suggestion = `${source.branch ?? source.name}-copy`;
      const branch = await maker.chooseBranch(repository, { suggestion });
      const { idempotency: _, ...author } = authorOf(call);
      // A name that a person chose is copied, but not a name derived from the folder.
      const name = source.name === basename(source.path) ? {} : { name: source.name };
      const plan = { id, branch, branchCreated: true, base, useRemote: false, baseSha: currentSha, ...name };
      await storage.write(author, (tx) => maker.reserve(tx, repository, plan));
    });
    const built = await maker.checkOut(id, { base, useRemote: false }, endsAt);
    return { source, id, built };
  } catch (error) {
    const { code, message } =
      error instanceof ConsoleError
        ? error
        : new ConsoleError('INTERNAL', 'internal error. See the server log for details.');
    throw new ConsoleError(
      code,
      `Worktree ${source.name} could not be copied, so nothing was copied: ${message}`,
      { worktreeId: source.id },
      { cause: error },
    );
  }
}
