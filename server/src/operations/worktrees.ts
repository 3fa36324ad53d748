import { ConsoleError } from '@agent-console/shared/errors';
import type { Worktree } from '@agent-console/shared/models/worktree';
import type { Call } from '../domain/call.ts';
import { PRESENT_STATES } from '../domain/states.ts';
import { authorOf, SYSTEM } from '../engine/changes/author.ts';
import { creatorOf, repositoryRow, worktreeRow } from '../engine/rows.ts';
import { refuseForeignWorktree } from '../engine/worktrees/agent-limits.ts';
import { refreshGitStatus, worktreeView, worktreeViews } from '../engine/worktrees/git-status.ts';
import type { WorktreeEntry } from '../ports/git.ts';
import type { NewRow, RepositoryRow, WorktreeRow } from '../ports/rows.ts';
import type { Readers, StoreReader } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { slicePage } from './paging.ts';
import { placementAfter, recordMove, recordWorktree } from './placement.ts';

interface WorktreeDifferences {
  changed: { row: WorktreeRow; entry: WorktreeEntry }[];
  added: WorktreeEntry[];
  gone: WorktreeRow[];
  /** Managed worktrees whose folder is gone, and whose branch another worktree has now. */
  released: WorktreeRow[];
}

/**
 * Returns, for each branch, the path of the worktree that has the branch. The main checkout is left out. git can check
 * out a branch in several worktrees, but only one stored worktree can have it. The worktree that already had the branch
 * keeps it.
 */
function holdersOf(rows: readonly WorktreeRow[], entries: readonly WorktreeEntry[]): Map<string, string> {
  const checkedOut = new Map(entries.map((entry) => [entry.path, entry.branch]));
  const holders = new Map<string, string>();
  for (const { kind, state, path, branch } of rows) {
    const hasBranch = state !== 'ready' || checkedOut.get(path) === branch;
    if (kind !== 'main' && branch !== null && hasBranch) holders.set(branch, path);
  }
  for (const { main, prunable, path, branch } of entries) {
    if (!main && !prunable && branch !== null && !holders.has(branch)) holders.set(branch, path);
  }
  return holders;
}

function compare(rows: readonly WorktreeRow[], listed: readonly WorktreeEntry[]): WorktreeDifferences {
  const byPath = new Map(rows.map((row) => [row.path, row]));
  const holders = holdersOf(rows, listed);
  const hasBranch = ({ path, branch }: { path: string; branch: string | null }) =>
    branch !== null && (holders.get(branch) ?? path) === path;
  const entries = listed.map((entry) => (entry.main || hasBranch(entry) ? entry : { ...entry, branch: null }));
  const isListed = new Set(entries.map(({ path }) => path));
  return {
    released: rows.filter(
      (row) => row.kind === 'managed' && row.branch !== null && !isListed.has(row.path) && !hasBranch(row),
    ),
    changed: entries.flatMap((entry) => {
      const row = byPath.get(entry.path);
      return row !== undefined && hasChanged(entry, row) ? [{ row, entry }] : [];
    }),
    added: entries.filter((entry) => !entry.prunable && !byPath.has(entry.path)),
    gone: rows.filter((row) => row.kind === 'adopted' && !entries.some((entry) => entry.path === row.path)),
  };
}

/**
 * Synchronizes the stored worktrees with git: adopts worktrees created elsewhere, marks adopted worktrees that are gone
 * as removed, and updates branches and commits. Returns the worktrees that are present.
 */
export async function syncWorktrees(context: OperationContext, repository: RepositoryRow): Promise<WorktreeRow[]> {
  const entries = await context.git.listWorktrees(repository);
  const rows = await presentRows(context.storage.read.worktrees, repository.id);
  if (Object.values(compare(rows, entries)).every((each) => each.length === 0)) return rows;
  return context.storage.write(SYSTEM, async (tx) => {
    // The rows are compared again inside the transaction, because another caller may have stored the same changes in
    // the meantime.
    const { changed, added, gone, released } = compare(await presentRows(tx.worktrees, repository.id), entries);
    for (const row of gone) await tx.worktrees.update(row.id, { state: 'removed' });
    // Branches are cleared before new ones are set, because worktrees may have swapped branches, and a unique index
    // forbids two worktrees with the same branch.
    for (const row of released) {
      await tx.worktrees.update(row.id, { branch: null });
      await recordWorktree(tx, row.id);
    }
    for (const { row } of changed) await tx.worktrees.update(row.id, { branch: null });
    for (const { row, entry } of changed) {
      await tx.worktrees.update(row.id, { branch: entry.branch, currentSha: entry.head });
      await recordWorktree(tx, row.id);
    }
    for (const entry of added) await tx.worktrees.insert(adoptedRow(context, repository.id, entry));
    return presentRows(tx.worktrees, repository.id);
  });
}

function presentRows(worktrees: StoreReader<WorktreeRow>, repositoryId: string): Promise<WorktreeRow[]> {
  return worktrees.find({ repositoryId, state: PRESENT_STATES });
}

function hasChanged(entry: WorktreeEntry, row: WorktreeRow): boolean {
  return row.state === 'ready' && (row.branch !== entry.branch || row.currentSha !== entry.head);
}

function adoptedRow(context: OperationContext, repositoryId: string, entry: WorktreeEntry): NewRow<'worktrees'> {
  return {
    id: context.newId(),
    repositoryId,
    kind: entry.main ? 'main' : 'adopted',
    name: entry.path.split('/').at(-1) ?? entry.path,
    path: entry.path,
    branch: entry.branch,
    state: 'ready',
    currentSha: entry.head,
    createdAt: context.now().toISOString(),
  };
}

/**
 * Returns the repository that the call names or, by default, the repository of the calling session. Returns all
 * repositories with `all`, or if the caller has no session in a repository.
 */
async function repositoriesToList(
  { storage }: OperationContext,
  { repositoryId: id, all }: { repositoryId?: string | undefined; all: boolean },
  call: Call,
): Promise<RepositoryRow[]> {
  const { repositories } = storage.read;
  const own = all ? undefined : ((await creatorOf({ storage }, call))?.repositoryId ?? undefined);
  const repositoryId = id ?? own;
  return repositoryId === undefined
    ? repositories.find({ removedAt: null })
    : [await repositoryRow(repositories, repositoryId)];
}

function isNotFound(error: unknown): boolean {
  return error instanceof ConsoleError && error.code === 'NOT_FOUND';
}

function listWorktrees(context: OperationContext): Implementation<'worktrees.list'> {
  return async ({ repositoryId, all, ...page }, call) => {
    const repositories = await repositoriesToList(context, { repositoryId, all }, call);
    const rows: WorktreeRow[] = [];
    for (const repository of repositories) {
      const synced = syncWorktrees(context, repository).catch((error: unknown) => {
        // A repository that git cannot read must not prevent the others from being listed. If its folder is gone, its
        // worktrees are listed as stored, because they can still be removed.
        if (repositories.length === 1 && !isNotFound(error)) throw error;
        return presentRows(context.storage.read.worktrees, repository.id);
      });
      rows.push(...(await synced));
    }
    const { data, ...rest } = slicePage(rows, page);
    if (call.caller.kind === 'user') for (const row of data) void context.pullRequestReader.refresh(row);
    const views = await worktreeViews(context.storage.read, data);
    const present = async (view: Worktree) => {
      const missing = view.state === 'ready' && !(await context.host.isPresent(view));
      return { ...view, ...(missing ? { missing } : {}) };
    };
    return { data: await Promise.all(views.map(present)), ...rest };
  };
}

/**
 * Returns a worktree with its current git state; with `missing: true` if its folder is gone. If git can no longer read
 * the worktree or its repository, the git state is the stored one, because the worktree can still be removed.
 */
export async function currentWorktree(context: OperationContext, worktreeId: string): Promise<Worktree> {
  const { storage, host } = context;
  const row = await worktreeRow(storage.read.worktrees, worktreeId);
  const isMissing = row.state === 'ready' && !(await host.isPresent(row));
  if (isMissing) return { ...(await worktreeView(storage.read, row)), missing: true };
  const refreshed = await refreshGitStatus(context, worktreeId).catch((error: unknown) => {
    if (isNotFound(error)) return row;
    throw error;
  });
  return worktreeView(storage.read, refreshed ?? row);
}

export function getWorktree(context: OperationContext): Implementation<'worktrees.get'> {
  return async ({ worktreeId }, call) => {
    if (call.caller.kind === 'user') {
      void context.pullRequestReader.refresh(await worktreeRow(context.storage.read.worktrees, worktreeId));
    }
    return currentWorktree(context, worktreeId);
  };
}

function updateWorktree(context: OperationContext): Implementation<'worktrees.update'> {
  return async ({ worktreeId, name, ...position }, call) => {
    await refuseForeignWorktree(context, worktreeId, call);
    return context.storage.write(authorOf(call), async (tx) => {
      const row = await worktreeRow(tx.worktrees, worktreeId);
      const moves = Object.keys(omitUndefined(position)).length > 0;
      const placement = moves ? await placementAfter(tx, row, position) : {};
      const patch = { ...omitUndefined({ name }), ...placement };
      await tx.worktrees.update(worktreeId, patch);
      await recordWorktree(tx, worktreeId, patch);
      const after = await worktreeRow(tx.worktrees, worktreeId);
      if (moves) await recordMove(tx, worktreeId, row.boardId, after.boardId);
      return worktreeView(tx, after);
    });
  };
}

/**
 * Returns a worktree with its repository. @throws CONFLICT with `problem` in its message if the worktree is not ready.
 */
async function checkoutOf(read: Pick<Readers, 'worktrees' | 'repositories'>, worktreeId: string, problem: string) {
  const worktree = await worktreeRow(read.worktrees, worktreeId);
  const { name, state, repositoryId } = worktree;
  if (state === 'ready') return { worktree, repository: await repositoryRow(read.repositories, repositoryId) };
  throw new ConsoleError('CONFLICT', `Worktree ${name} is in state ${state}; ${problem}.`, { worktreeId, state });
}

function diffWorktree({ storage, git }: OperationContext): Implementation<'worktrees.diff'> {
  return async ({ worktreeId, base }) => {
    const checkout = await checkoutOf(storage.read, worktreeId, 'the changes in this worktree cannot be shown');
    const diffBase = base ?? checkout.worktree.baseSha ?? checkout.repository.defaultBranch;
    return { worktreeId, base: diffBase, ...(await git.diff(checkout, diffBase)) };
  };
}

function listFiles({ storage, git }: OperationContext): Implementation<'worktrees.files'> {
  return async ({ worktreeId, path, query, untracked, limit, skip }) => {
    const checkout = await checkoutOf(storage.read, worktreeId, 'the files of this worktree cannot be listed');
    const { total, files } = await git.files(checkout, { under: path, query, untracked, skip, limit });
    return { total, limit, skip, data: files };
  };
}

export function worktreeOperations(context: OperationContext) {
  return {
    'worktrees.list': listWorktrees(context),
    'worktrees.get': getWorktree(context),
    'worktrees.update': updateWorktree(context),
    'worktrees.diff': diffWorktree(context),
    'worktrees.files': listFiles(context),
  } satisfies Partial<Implementations>;
}
