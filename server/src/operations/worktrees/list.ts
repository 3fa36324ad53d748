import { SYSTEM } from '../author.ts';
import type { Implementation } from '../call.ts';
import { repositoryRow } from '../found.ts';
import type { Kit } from '../kit.ts';
import { slicePage } from '../paging.ts';
import type { WorktreeEntry } from '../ports/git.ts';
import type { RepositoryRow, WorktreeRow } from '../ports/rows.ts';
import { presentWorktree } from '../present.ts';

type Needs = Pick<Kit, 'storage' | 'git' | 'now' | 'newId'>;

/** Takes in what git says now: worktrees made elsewhere are adopted, branches and commits are brought up to date. */
async function syncWorktrees(needs: Needs, repository: RepositoryRow): Promise<WorktreeRow[]> {
  const entries = await needs.git.listWorktrees(repository.path);
  const rows = await liveRows(needs, repository.id);
  const byPath = new Map(rows.map((row) => [row.path, row]));
  const changed = entries.filter((entry) => differs(entry, byPath.get(entry.path)));
  const gone = rows.filter((row) => row.kind === 'adopted' && !entries.some((entry) => entry.path === row.path));
  if (changed.length === 0 && gone.length === 0) return rows;
  await needs.storage.write(SYSTEM, async (tx) => {
    for (const entry of changed) {
      const row = byPath.get(entry.path);
      if (row !== undefined) {
        await tx.worktrees.update(row.id, { branch: entry.branch, currentSha: entry.head });
        await tx.record({
          type: 'worktree.updated',
          subject: { kind: 'worktree', id: row.id },
          data: { worktreeId: row.id },
        });
      } else if (!entry.prunable) {
        await tx.worktrees.insert(adopted(needs, repository.id, entry));
      }
    }
    for (const row of gone) await tx.worktrees.update(row.id, { state: 'removed' });
  });
  return liveRows(needs, repository.id);
}

function liveRows({ storage }: Pick<Needs, 'storage'>, repositoryId: string): Promise<WorktreeRow[]> {
  return storage.read.worktrees.find({ repositoryId, state: ['creating', 'ready', 'removing'] });
}

function differs(entry: WorktreeEntry, row: WorktreeRow | undefined): boolean {
  if (row === undefined) return true;
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
    createdAt: needs.now().toISOString(),
  };
}

export function listWorktrees(needs: Needs): Implementation<'worktrees.list'> {
  return async ({ repositoryId, ...page }) => {
    const repository = await repositoryRow(needs.storage.read.repositories, repositoryId);
    return slicePage(
      (await syncWorktrees(needs, repository)).map((row) => presentWorktree(row)),
      page,
    );
  };
}
