import type { Call } from '../../domain/call.ts';
import { SYSTEM } from '../../engine/author.ts';
import { presentWorktree } from '../../engine/present.ts';
import { creatorOf, repositoryRow } from '../../engine/rows.ts';
import type { WorktreeEntry } from '../../ports/git.ts';
import type { RepositoryRow, WorktreeRow } from '../../ports/rows/worktrees.ts';
import type { StoreReader } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';
import { slicePage } from '../paging.ts';

type Needs = Pick<OperationContext, 'storage' | 'git' | 'host' | 'now' | 'newId'>;

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
async function syncWorktrees(needs: Needs, repository: RepositoryRow): Promise<WorktreeRow[]> {
  const entries = await needs.git.listWorktrees(repository.path);
  const rows = await liveRows(needs.storage.read.worktrees, repository.id);
  if (Object.values(compare(rows, entries)).every((each) => each.length === 0)) return rows;
  return needs.storage.write(SYSTEM, async (tx) => {
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
    for (const entry of found) await tx.worktrees.insert(adopted(needs, repository.id, entry));
    return liveRows(tx.worktrees, repository.id);
  });
}

function liveRows(worktrees: StoreReader<WorktreeRow>, repositoryId: string): Promise<WorktreeRow[]> {
  return worktrees.find({ repositoryId, state: ['creating', 'ready', 'removing', 'restoring'] });
}

function differs(entry: WorktreeEntry, row: WorktreeRow): boolean {
  return row.state === 'ready' && (row.branch !== entry.branch || row.currentSha !== entry.head);
}

function adopted(needs: Needs, repositoryId: string, entry: WorktreeEntry): WorktreeRow {
  return {
    id: needs.newId(),
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
    createdAt: needs.now().toISOString(),
  };
}

/** The repository that is named, else that of the session that calls, else all of them. */
async function repositoriesAsked({ storage }: Needs, id: string | undefined, call: Call): Promise<RepositoryRow[]> {
  const { repositories } = storage.read;
  const asked = id ?? (await creatorOf({ storage }, call))?.repositoryId ?? undefined;
  return asked === undefined ? repositories.find({ removedAt: null }) : [await repositoryRow(repositories, asked)];
}

export function listWorktrees(needs: Needs): Implementation<'worktrees.list'> {
  return async ({ repositoryId, ...page }, call) => {
    const repositories = await repositoriesAsked(needs, repositoryId, call);
    const rows: WorktreeRow[] = [];
    for (const repository of repositories) {
      // One repository whose folder is gone does not hide the others.
      const stored = () => liveRows(needs.storage.read.worktrees, repository.id);
      const found = syncWorktrees(needs, repository);
      rows.push(...(await (repositories.length === 1 ? found : found.catch(stored))));
    }
    const { data, ...rest } = slicePage(rows, page);
    const present = async (row: WorktreeRow) => {
      const missing = row.state === 'ready' && !(await needs.host.isFolder(row.path));
      return { ...presentWorktree(row), ...(missing ? { missing } : {}) };
    };
    return { data: await Promise.all(data.map(present)), ...rest };
  };
}
