/** Repositories, their worktrees, and the jobs that make them, as stored. Columns are explained in storage/schema/worktrees.ts. */

export type WorktreeKind = 'main' | 'managed' | 'adopted';
export type WorktreeState = 'creating' | 'ready' | 'removing' | 'removed' | 'restoring' | 'failed';

export interface RepositoryRow {
  id: string;
  name: string;
  path: string;
  commonDir: string;
  url: string | null;
  defaultBranch: string;
  setupCommand: string | null;
  cleanupCommand: string | null;
  checkCommand: string | null;
  worktreesDir: string;
  nextIndex: number;
  createdAt: string;
  removedAt: string | null;
}

export interface WorktreeRow {
  id: string;
  repositoryId: string;
  kind: WorktreeKind;
  name: string;
  path: string;
  branch: string | null;
  branchCreated: boolean;
  index: number | null;
  state: WorktreeState;
  baseRef: string | null;
  baseSha: string | null;
  currentSha: string | null;
  recoveryRef: string | null;
  boardId: string | null;
  zoneId: string | null;
  x: number | null;
  y: number | null;
  createdAt: string;
}

export interface JobRow {
  id: string;
  kind: 'repository-clone' | 'worktree-creation';
  state: 'running' | 'succeeded' | 'failed';
  fraction: number;
  phase: string;
  params: Record<string, unknown>;
  result: Record<string, unknown> | null;
  error: { code: string; message: string; details: Record<string, unknown> } | null;
  actor: string;
  createdAt: string;
  endedAt: string | null;
}
