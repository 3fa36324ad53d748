import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { JOB_WAIT_SECONDS } from '@agent-console/shared/limits/calls';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { RequestError } from '@agentclientprotocol/sdk';
import type { EditorConsole } from './console.ts';

/** @throws RequestError for a relative path. */
export function checkCwd(cwd: string): void {
  if (isAbsolute(cwd)) return;
  throw RequestError.invalidParams({ cwd }, 'cwd must be an absolute path');
}

/** Returns the directory with symbolic links resolved, as the console stores it. */
export const realDirectory = (cwd: string): Promise<string> => realpath(cwd).catch(() => cwd);

export interface SessionLocation {
  at: { worktreeId: string } | { cwd: string };
  /** The worktree that was created for the session, if any. */
  created?: Worktree;
}

/**
 * Returns where a new session works, given the editor's directory:
 * - with `inWorktree`: in a new worktree of the directory's repository
 * - if the caller is a worker: in the existing worktree that contains the directory
 * - for other callers, or outside a repository: in the directory itself
 * @throws PERMISSION_DENIED if a worker passes a directory outside the repository's worktrees.
 */
export async function locationFor(
  console: EditorConsole,
  cwd: string,
  { inWorktree, isWorker }: { inWorktree: boolean; isWorker: boolean },
): Promise<SessionLocation> {
  if (!inWorktree && !isWorker) return { at: { cwd } };
  const found = await worktreeAround(console, await realDirectory(cwd));
  if (found === undefined && isWorker) {
    const why = "Inside a session, cwd must be a directory in a worktree of the session's repository.";
    throw new ConsoleError('PERMISSION_DENIED', why, { cwd });
  }
  if (found === undefined) return { at: { cwd } };
  if (!inWorktree) return { at: { worktreeId: found.id } };
  const created = await createWorktree(console, found);
  return { at: { worktreeId: created.id }, created };
}

/**
 * Removes the worktree and branch that were created for a session, if any. Not called for an editor inside a worker,
 * which may not remove worktrees.
 */
export async function removeCreatedWorktree(console: EditorConsole, { created }: SessionLocation): Promise<void> {
  if (created === undefined) return;
  const { id, name, repositoryId } = created;
  const { results } = await console.call('repositories.prune', {
    repositoryId,
    worktreeIds: [id],
    deleteBranches: true,
  });
  for (const { error } of results) {
    if (error !== null) throw new ConsoleError('CONFLICT', `The new worktree ${name} was not removed: ${error}`);
  }
}

/** Returns the innermost worktree that contains the directory, among the worktrees of all registered repositories. */
export async function worktreeAround(console: EditorConsole, cwd: string): Promise<Worktree | undefined> {
  let innermost: Worktree | undefined;
  for (let skip = 0; ; skip += PAGE_MAX) {
    const { data } = await console.call('worktrees.list', { all: true, skip, limit: PAGE_MAX });
    for (const worktree of data) {
      const { path, state } = worktree;
      if (state !== 'ready' || !contains(path, cwd)) continue;
      if (innermost === undefined || path.length > innermost.path.length) innermost = worktree;
    }
    if (data.length < PAGE_MAX) return innermost;
  }
}

function contains(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return !isAbsolute(relativePath) && relativePath !== '..' && !relativePath.startsWith('../');
}

/**
 * Creates a worktree with a new branch that starts at the branch of the editor's worktree. If that worktree has no
 * branch, the console chooses the base.
 */
async function createWorktree(console: EditorConsole, { repositoryId, branch }: Worktree): Promise<Worktree> {
  const { jobId, worktree } = await console.call('worktrees.create', {
    repositoryId,
    mode: 'custom',
    branch: `editor-${randomUUID().slice(0, 8)}`,
    ...(branch === null ? {} : { baseBranch: branch }),
    wait: true,
  });
  // One call waits at most CALL_MAX_MS, but a setup command may take longer. So the call is repeated until the job has
  // ended.
  for (;;) {
    const job = await console.call('jobs.get', { jobId, waitSeconds: JOB_WAIT_SECONDS });
    if (job.state === 'succeeded') break;
    if (job.state === 'failed')
      throw new ConsoleError('GIT_FAILED', job.error?.message ?? 'The worktree was not created.');
  }
  if (worktree === undefined) throw new ConsoleError('INTERNAL', 'The console returned no worktree.');
  return worktree;
}
