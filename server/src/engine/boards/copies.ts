import { basename } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { BOARD_COPY_MS, BOARD_COPY_PARALLEL, BOARD_COPY_WORKTREES_MAX } from '@agent-console/shared/limits/boards';
import type { Call } from '../../domain/call.ts';
import type { JobRow, WorktreeRow } from '../../ports/rows/worktrees.ts';
import { authorOf } from '../author.ts';
import type { EngineContext } from '../context.ts';
import { repositoryRow } from '../rows.ts';
import { abandonWorktree } from '../worktrees/abandon.ts';
import type { Built } from '../worktrees/maker.ts';
import { refuseMore } from '../worktrees/reach.ts';
import { worktreesOn } from './rows.ts';

type Needs = Pick<EngineContext, 'storage' | 'git' | 'jobs' | 'maker' | 'now' | 'newId'>;

/** A worktree and the id that its copy will have. */
export interface Copy {
  source: WorktreeRow;
  id: string;
}

/** A copy that is checked out, and `creating` until the board of all copies is stored. */
export interface MadeCopy extends Copy {
  built: Built;
}

/** What a copy of a board copies with it: its managed worktrees that are ready. */
export async function planCopies({ storage, newId }: Needs, call: Call, boardId: string): Promise<Copy[]> {
  const sources = (await worktreesOn(storage.read, boardId)).filter(
    ({ kind, state }) => kind === 'managed' && state === 'ready',
  );
  if (sources.length > BOARD_COPY_WORKTREES_MAX) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `${sources.length} worktrees lie on this board, and ${BOARD_COPY_WORKTREES_MAX} are copied at once at most. Copy it without them.`,
      { limit: BOARD_COPY_WORKTREES_MAX, boardId },
      { retryable: false },
    );
  }
  const repositoryIds = sources.map(({ repositoryId }) => repositoryId);
  await refuseMore(storage.read, repositoryIds, call);
  return sources.map((source) => ({ source, id: newId() }));
}

/** The record by which a start after a crash finds what to undo: all of it, unless the board with this id is there. */
export function beginCopies({ storage, jobs }: Needs, call: Call, boardId: string, copies: Copy[]): Promise<JobRow> {
  // The key is for the answer; this transaction only begins.
  const { idempotency: _, ...author } = authorOf(call);
  const params = { boardId, worktreeIds: copies.map(({ id }) => id) };
  return storage.write(author, (tx) => jobs.create(tx, author, 'worktree-creation', params));
}

/**
 * Checks every copy out, some side by side. None is ready yet, since until all are there nobody may have work in one.
 * Rejects with what failed first; what is there by then is for `undoCopies`.
 */
export async function makeCopies(needs: Needs, call: Call, copies: readonly Copy[]): Promise<MadeCopy[]> {
  const made: MadeCopy[] = [];
  const endsAt = needs.now().getTime() + BOARD_COPY_MS;
  for (let at = 0; at < copies.length; at += BOARD_COPY_PARALLEL) {
    const some = copies.slice(at, at + BOARD_COPY_PARALLEL);
    const ends = await Promise.allSettled(some.map((copy) => makeCopy(needs, call, copy, endsAt)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    made.push(...ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])));
  }
  return made;
}

/**
 * Takes away those copies that never became ready, as far as they had come; one that is ready may hold work, and stays.
 * One that cannot be taken away now does not keep the others: it stays `creating`, in which nothing starts, and the next
 * start of the server tries again.
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
      throw new ConsoleError('TIMEOUT', 'There was no time left in this call');
    }
    const repository = await repositoryRow(storage.read.repositories, source.repositoryId);
    const { currentSha } = await git.state({ path: source.path, commonDir: repository.commonDir });
    const base = source.branch ?? repository.defaultBranch;
    await maker.alone(repository.id, async () => {
      const suggestion = `${source.branch ?? source.name}-copy`;
      const branch = await maker.chooseBranch(repository, { suggestion });
      const { idempotency: _, ...author } = authorOf(call);
      // A name that somebody gave goes along; one that is only its folder's does not.
      const name = source.name === basename(source.path) ? {} : { name: source.name };
      const plan = { id, branch, branchCreated: true, base, useRemote: false, baseSha: currentSha, ...name };
      await storage.write(author, (tx) => maker.reserve(tx, repository, plan));
    });
    const built = await maker.checkOut(id, { base, useRemote: false }, endsAt);
    return { source, id, built };
  } catch (error) {
    const { code, message } =
      error instanceof ConsoleError ? error : new ConsoleError('INTERNAL', 'the console failed');
    throw new ConsoleError(
      code,
      `Worktree ${source.name} could not be copied, so nothing was: ${message}`,
      { worktreeId: source.id },
      { cause: error },
    );
  }
}
