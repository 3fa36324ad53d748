import { ConsoleError } from '@agent-console/shared/errors';
import type { Worktree } from '@agent-console/shared/models/worktree';
import type { Call } from '../domain/call.ts';
import { authorOf, SYSTEM } from '../engine/author.ts';
import { presentWorktree } from '../engine/present.ts';
import { creatorOf, repositoryRow, worktreeRow } from '../engine/rows.ts';
import { refuseForeignWorktree } from '../engine/worktrees/agent-limits.ts';
import type { WorktreeEntry } from '../ports/git.ts';
import type { RepositoryRow, WorktreeRow } from '../ports/rows/worktrees.ts';
import type { StoreReader } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { slicePage } from './paging.ts';
import { placementAfter, recordMove } from './placement.ts';

interface Changes {
  changed: { row: WorktreeRow; entry: WorktreeEntry }[];
  found: WorktreeEntry[];
  gone: WorktreeRow[];
}

/** How the stored rows differ from what git says. */
function compare(rows: readonly WorktreeRow[], entries: readonly WorktreeEntry[]): Changes {
  const byPath = new Map(rows.map((row) => [row.path, row]));
  return {
    changed: entries.flatMap((entry) => {
      const row = byPath.get(entry.path);
      return row !== undefined && differs(entry, row) ? [{ row, entry }] : [];
    }),
    found: entries.filter((entry) => !entry.prunable && !byPath.has(entry.path)),
    gone: rows.filter((row) => row.kind === 'adopted' && !entries.some((entry) => entry.path === row.path)),
  };
}

/** Takes in what git says now: worktrees made elsewhere are adopted, branches and commits are brought up to date. */
async function syncWorktrees(context: OperationContext, repository: RepositoryRow): Promise<WorktreeRow[]> {
  const entries = await context.git.listWorktrees(repository.path);
  const rows = await liveRows(context.storage.read.worktrees, repository.id);
  if (Object.values(compare(rows, entries)).every((each) => each.length === 0)) return rows;
  return context.storage.write(SYSTEM, async (tx) => {
    // Compared once more, since another caller may have taken the same in meanwhile.
    const { changed, found, gone } = compare(await liveRows(tx.worktrees, repository.id), entries);
    for (const row of gone) await tx.worktrees.update(row.id, { state: 'removed' });
    // Two worktrees may have swapped their branches, and no two rows have the same one at any moment.
    for (const { row } of changed) await tx.worktrees.update(row.id, { branch: null });
    for (const { row, entry } of changed) {
      await tx.worktrees.update(row.id, { branch: entry.branch, currentSha: entry.head });
      await tx.record({
        type: 'worktree.updated',
        subject: { kind: 'worktree', id: row.id },
        data: { worktreeId: row.id },
      });
    }
    for (const entry of found) await tx.worktrees.insert(adopted(context, repository.id, entry));
    return liveRows(tx.worktrees, repository.id);
  });
}

function liveRows(worktrees: StoreReader<WorktreeRow>, repositoryId: string): Promise<WorktreeRow[]> {
  return worktrees.find({ repositoryId, state: ['creating', 'ready', 'removing', 'restoring'] });
}

function differs(entry: WorktreeEntry, row: WorktreeRow): boolean {
  return row.state === 'ready' && (row.branch !== entry.branch || row.currentSha !== entry.head);
}

function adopted(context: OperationContext, repositoryId: string, entry: WorktreeEntry): WorktreeRow {
  return {
    id: context.newId(),
    repositoryId,
    kind: entry.main ? 'main' : 'adopted',
    name: entry.path.split('/').at(-1) ?? entry.path,
    path: entry.path,
    branch: entry.branch,
    branchCreated: false,
    index: null,
    state: 'ready',
    baseRef: null,
    baseSha: null,
    currentSha: entry.head,
    recoveryRef: null,
    boardId: null,
    zoneId: null,
    x: null,
    y: null,
    createdAt: context.now().toISOString(),
  };
}

/** The repository that is named, else that of the session that calls, else all of them. */
async function repositoriesAsked(
  { storage }: OperationContext,
  id: string | undefined,
  call: Call,
): Promise<RepositoryRow[]> {
  const { repositories } = storage.read;
  const asked = id ?? (await creatorOf({ storage }, call))?.repositoryId ?? undefined;
  return asked === undefined ? repositories.find({ removedAt: null }) : [await repositoryRow(repositories, asked)];
}

function listWorktrees(context: OperationContext): Implementation<'worktrees.list'> {
  return async ({ repositoryId, ...page }, call) => {
    const repositories = await repositoriesAsked(context, repositoryId, call);
    const rows: WorktreeRow[] = [];
    for (const repository of repositories) {
      // One repository whose folder is gone does not hide the others.
      const stored = () => liveRows(context.storage.read.worktrees, repository.id);
      const found = syncWorktrees(context, repository);
      rows.push(...(await (repositories.length === 1 ? found : found.catch(stored))));
    }
    const { data, ...rest } = slicePage(rows, page);
    const present = async (row: WorktreeRow) => {
      const missing = row.state === 'ready' && !(await context.host.isFolder(row.path));
      return { ...presentWorktree(row), ...(missing ? { missing } : {}) };
    };
    return { data: await Promise.all(data.map(present)), ...rest };
  };
}

/** A worktree as git sees it at this moment, where it is there. */
export async function worktreeNow({ storage, git, host }: OperationContext, worktreeId: string): Promise<Worktree> {
  const row = await worktreeRow(storage.read.worktrees, worktreeId);
  const repository = await storage.read.repositories.get(row.repositoryId);
  if (row.state !== 'ready' || repository === undefined) return presentWorktree(row);
  if (!(await host.isFolder(row.path))) return { ...presentWorktree(row), missing: true };
  const { currentSha, branch, hasChanges } = await git.state({ path: row.path, commonDir: repository.commonDir });
  return presentWorktree({ ...row, currentSha, branch }, hasChanges);
}

export function getWorktree(context: OperationContext): Implementation<'worktrees.get'> {
  return ({ worktreeId }) => worktreeNow(context, worktreeId);
}

function updateWorktree(context: OperationContext): Implementation<'worktrees.update'> {
  return async ({ worktreeId, name, ...wanted }, call) => {
    await refuseForeignWorktree(context, worktreeId, call);
    return context.storage.write(authorOf(call), async (tx) => {
      const row = await worktreeRow(tx.worktrees, worktreeId);
      const moves = Object.keys(omitUndefined(wanted)).length > 0;
      const placement = moves ? await placementAfter(tx, row, wanted) : {};
      const patch = { ...omitUndefined({ name }), ...placement };
      await tx.worktrees.update(worktreeId, patch);
      const data = { worktreeId, ...patch };
      await tx.record({ type: 'worktree.updated', subject: { kind: 'worktree', id: worktreeId }, data });
      const after = await worktreeRow(tx.worktrees, worktreeId);
      if (moves) await recordMove(tx, worktreeId, row.boardId, after.boardId);
      return presentWorktree(after);
    });
  };
}

function diffWorktree({ storage, git }: OperationContext): Implementation<'worktrees.diff'> {
  return async ({ worktreeId, base }) => {
    const row = await worktreeRow(storage.read.worktrees, worktreeId);
    if (row.state !== 'ready') {
      throw new ConsoleError('CONFLICT', `Worktree ${row.name} is ${row.state}; there is nothing to compare.`, {
        worktreeId,
        state: row.state,
      });
    }
    const { defaultBranch, commonDir } = await repositoryRow(storage.read.repositories, row.repositoryId);
    const against = base ?? row.baseSha ?? defaultBranch;
    return { worktreeId, base: against, ...(await git.diff({ path: row.path, commonDir }, against)) };
  };
}

function listFiles({ storage, git }: OperationContext): Implementation<'worktrees.files'> {
  return async ({ worktreeId, path, limit, skip }) => {
    const row = await worktreeRow(storage.read.worktrees, worktreeId);
    if (row.state !== 'ready') {
      throw new ConsoleError('CONFLICT', `Worktree ${row.name} is ${row.state}; its files cannot be listed.`, {
        worktreeId,
        state: row.state,
      });
    }
    const { commonDir } = await repositoryRow(storage.read.repositories, row.repositoryId);
    const { total, files } = await git.files({ path: row.path, commonDir }, { under: path, skip, limit });
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
