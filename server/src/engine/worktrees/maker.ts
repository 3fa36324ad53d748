import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { withDeadline } from '@agent-console/shared/deadline';
import { ConsoleError } from '@agent-console/shared/errors';
import { COMMAND_LIMIT_MS } from '@agent-console/shared/limits/worktrees';
import { listNames } from '@agent-console/shared/words';
import { Mutex } from 'async-mutex';
import { branchFromPrompt, firstFreeName } from '../../domain/branch-name.ts';
import { commandEnvironment } from '../../domain/environment.ts';
import { PRESENT_STATES } from '../../domain/states.ts';
import type { Git } from '../../ports/git.ts';
import type { Host } from '../../ports/host.ts';
import type { RepositoryRow, SessionRow, WorktreeRow } from '../../ports/rows.ts';
import type { Storage, Transaction } from '../../ports/storage.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { worktreeRow } from '../rows.ts';
import { saveBeforeDiscard } from './save.ts';

/**
 * The result of a checkout: its commit, the base of its branch, and warnings about problems that do not prevent the use
 * of the checkout.
 */
export interface CheckoutResult {
  sha: string;
  baseSha: string;
  warnings: string[];
}

/** Creates worktrees and undoes partially created ones. */
export interface WorktreeMaker {
  /**
   * Returns a free branch name: the requested name (CONFLICT if it is taken), or a name derived from the suggestion or
   * prompt.
   */
  chooseBranch(
    repository: RepositoryRow,
    wanted: { branch?: string | undefined; prompt?: string | undefined; suggestion?: string | null },
  ): Promise<string>;
  /**
   * Runs `work` while no other work with the same key runs. Branch names are chosen and reserved with the repository's
   * id as the key, so that no two calls take the same name.
   */
  alone<T>(key: string, work: () => Promise<T>): Promise<T>;
  /**
   * Stores the worktree as `creating`. Its number and folder do not change after that. Its branch does not change until
   * the worktree is ready.
   * @throws NOT_FOUND if the repository was removed, CONFLICT if another worktree has the branch
   */
  reserve(
    tx: Transaction,
    repository: RepositoryRow,
    plan: {
      id: string;
      branch: string;
      branchCreated: boolean;
      base: string;
      useRemote: boolean;
      baseSha: string | null;
      name?: string;
    },
  ): Promise<WorktreeRow>;
  /**
   * Checks out the worktree and runs the setup command. The worktree stays `creating`, so that no other work starts in
   * it. If `cancelled` aborts, rejects with the reason of the abort as soon as the running command has ended.
   * @param deadline in milliseconds since the epoch
   */
  checkOut(
    worktreeId: string,
    base: { base: string; useRemote: boolean },
    deadline: number,
    cancelled?: AbortSignal,
  ): Promise<CheckoutResult>;
  /** Stores the worktree as `ready`. From then on it may contain work, and `discard` does not remove it. */
  markReady(tx: Transaction, worktreeId: string, built: CheckoutResult): Promise<void>;
  /** Calls `saveBeforeDiscard` for the worktree. */
  save(worktreeId: string): Promise<void>;
  /** Removes a worktree that is `creating`, with the branch created for it. Does nothing in any other state. */
  discard(worktreeId: string): Promise<void>;
  /**
   * Ensures that a session's cwd exists. Recreates a missing worktree from its branch, or throws if that is not
   * possible.
   */
  ensureCwd(session: SessionRow): Promise<void>;
}

function branchGone({ id: worktreeId, name, path, currentSha }: WorktreeRow, branch: string): ConsoleError {
  const command = `git branch ${branch} ${currentSha ?? '<commit>'}`;
  return new ConsoleError(
    'NOT_FOUND',
    `The folder ${path} of worktree ${name} and its branch ${branch} no longer exist, so no process was started. Recreate the branch (${command}) and retry, or remove the worktree.`,
    { worktreeId, path, branch },
  );
}

/**
 * @throws CONFLICT if a worktree other than the main checkout has the branch, even if its folder is gone or it is still
 * being created.
 */
async function refuseHeldBranch(tx: Transaction, { id: repositoryId }: RepositoryRow, branch: string): Promise<void> {
  const kind = ['managed', 'adopted'] as const;
  const holder = await tx.worktrees.first({ repositoryId, branch, kind, state: PRESENT_STATES });
  if (holder === undefined) return;
  throw new ConsoleError(
    'CONFLICT',
    `Branch ${branch} belongs to worktree ${holder.name} at ${holder.path}. Remove that worktree, or choose another branch.`,
    { branch, worktreeId: holder.id, path: holder.path },
  );
}

export function createMaker(deps: ChangeDeps & { storage: Storage; git: Git; host: Host }): WorktreeMaker {
  const { storage, git, host } = deps;
  const locks = new Map<string, Mutex>();

  function alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    let lock = locks.get(key);
    if (lock === undefined) {
      lock = new Mutex();
      locks.set(key, lock);
    }
    return lock.runExclusive(work);
  }

  /** Checks out a missing worktree from its branch, even after an interrupted checkout. */
  async function recreate(repository: RepositoryRow, worktree: WorktreeRow, branch: string): Promise<void> {
    const checkout = { repository, worktree };
    if (await host.isPresent(worktree)) {
      if (!(await git.isIncomplete(checkout))) return;
      await git.discardWorktree(checkout, { deleteBranch: false });
    }
    if (!(await git.branchExists(repository, branch))) throw branchGone(worktree, branch);
    await git.addWorktree(checkout, { startPoint: null, signal: AbortSignal.timeout(COMMAND_LIMIT_MS) });
  }

  async function rowsOf(worktreeId: string): Promise<{ worktree: WorktreeRow; repository: RepositoryRow }> {
    const worktree = await storage.read.worktrees.get(worktreeId);
    const repository = worktree && (await storage.read.repositories.get(worktree.repositoryId));
    if (worktree === undefined || repository === undefined) throw new Error(`worktree ${worktreeId} has no row`);
    return { worktree, repository };
  }

  async function isTaken(repository: RepositoryRow, branch: string): Promise<boolean> {
    const ours = await storage.read.worktrees.count({ repositoryId: repository.id, branch, state: PRESENT_STATES });
    return ours > 0 || git.branchExists(repository, branch);
  }

  /** Runs the setup command, and returns a warning if it exited with an error. Throws if it timed out or was killed. */
  async function runSetup(
    repository: RepositoryRow,
    worktree: WorktreeRow,
    limitMs: number,
    cancelled: AbortSignal | undefined,
  ): Promise<string[]> {
    if (repository.setupCommand === null) return [];
    const env = commandEnvironment(host.environment);
    const end = await host.runCommand(worktree, { command: repository.setupCommand, env, limitMs, cancelled });
    cancelled?.throwIfAborted();
    if (end.timedOut) {
      throw new ConsoleError(
        'TIMEOUT',
        `The setup command of ${repository.name} did not finish in time. Make it faster, or run the slow part in the task.`,
        { repositoryId: repository.id, output: end.output },
        { retryable: false },
      );
    }
    if (end.signal !== null) {
      throw new ConsoleError(
        'CONFLICT',
        `The setup command of ${repository.name} was terminated by ${end.signal}, so the worktree may be incomplete. Check its output and the machine's memory, then retry, or change the repository's setup command.`,
        { repositoryId: repository.id, output: end.output },
      );
    }
    return end.exitCode === 0
      ? []
      : [`The setup command exited with code ${end.exitCode}: ${end.output.trim().slice(-500)}`];
  }

  const maker: WorktreeMaker = {
    async chooseBranch(repository, { branch, prompt, suggestion }) {
      if (branch === undefined) {
        return firstFreeName(suggestion ?? branchFromPrompt(prompt ?? ''), (name) => isTaken(repository, name));
      }
      if (await isTaken(repository, branch)) {
        throw new ConsoleError(
          'CONFLICT',
          `Branch ${branch} already exists in ${repository.name}. Choose another name, or leave the name out to have one generated.`,
          { branch },
        );
      }
      return branch;
    },
    alone,
    async reserve(tx, repository, plan) {
      const fresh = await tx.repositories.get(repository.id);
      if (fresh === undefined || fresh.removedAt !== null) {
        throw new ConsoleError('NOT_FOUND', `Repository ${repository.id} not found`, { repositoryId: repository.id });
      }
      await refuseHeldBranch(tx, repository, plan.branch);
      const folder = `wt-${String(fresh.nextIndex).padStart(3, '0')}-${randomBytes(2).toString('hex')}`;
      await tx.repositories.update(repository.id, { nextIndex: fresh.nextIndex + 1 });
      return tx.worktrees.insert({
        id: plan.id,
        repositoryId: repository.id,
        kind: 'managed',
        name: plan.name ?? folder,
        // git lists worktrees by their real paths.
        path: join(await host.realPath(fresh.worktreesDir), folder),
        branch: plan.branch,
        branchCreated: plan.branchCreated,
        index: fresh.nextIndex,
        state: 'creating',
        baseRef: plan.base,
        baseSha: plan.baseSha,
        createdAt: deps.now().toISOString(),
      });
    },
    async checkOut(worktreeId, base, deadline, cancelled) {
      const msLeft = () => Math.max(deadline - deps.now().getTime(), 1);
      const { worktree, repository } = await rowsOf(worktreeId);
      const warnings: string[] = [];
      let { baseSha } = worktree;
      if (worktree.branchCreated && baseSha === null) {
        const resolved = await git.resolveBase(repository, base.base, base.useRemote);
        baseSha = resolved.sha;
        if (resolved.warning !== undefined) warnings.push(resolved.warning);
        if (base.useRemote) warnings.push(`The new branch starts at ${resolved.ref} (${resolved.sha.slice(0, 12)}).`);
      }
      const startPoint = worktree.branchCreated ? baseSha : null;
      cancelled?.throwIfAborted();
      const { signal, release } = withDeadline(cancelled, msLeft());
      const added = git.addWorktree({ repository, worktree }, { startPoint, signal }).finally(release);
      const { sha } = await added.catch((error) => {
        cancelled?.throwIfAborted();
        throw error;
      });
      cancelled?.throwIfAborted();
      warnings.push(...(await runSetup(repository, worktree, Math.min(msLeft(), COMMAND_LIMIT_MS), cancelled)));
      const empty = await git.emptySubmodules({ repository, worktree }).catch(() => []);
      if (empty.length > 0) {
        const advice = 'A setup command of the repository can check them out: git submodule update --init --recursive';
        warnings.push(`Submodules are not checked out in the worktree: ${listNames(empty)}. ${advice}`);
      }
      return { sha, baseSha: baseSha ?? sha, warnings };
    },
    async markReady(tx, worktreeId, { sha, baseSha }) {
      const { repositoryId, branch, path } = await worktreeRow(tx.worktrees, worktreeId);
      await tx.worktrees.update(worktreeId, { state: 'ready', currentSha: sha, baseSha });
      await tx.record({
        type: 'worktree.created',
        subject: { kind: 'worktree', id: worktreeId },
        data: { worktreeId, repositoryId, branch, path },
      });
    },
    save: async (worktreeId) => saveBeforeDiscard({ storage, git }, await rowsOf(worktreeId)),
    async discard(worktreeId) {
      const { worktree, repository } = await rowsOf(worktreeId);
      if (worktree.state !== 'creating') return;
      await git.discardWorktree({ repository, worktree }, { deleteBranch: worktree.branchCreated });
    },
    async ensureCwd(session) {
      const worktree = session.worktreeId === null ? undefined : await storage.read.worktrees.get(session.worktreeId);
      const repository = worktree && (await storage.read.repositories.get(worktree.repositoryId));
      const branch = worktree?.branch;
      if (worktree?.kind === 'managed' && worktree.state === 'ready' && branch && repository) {
        // Only one start at a time recreates the folder. A concurrent start could use the folder before it is complete.
        await alone(worktree.id, () => recreate(repository, worktree, branch));
      }
      if (!(await host.hasCwd(session))) {
        throw new ConsoleError(
          'NOT_FOUND',
          `The folder ${session.cwd} of this session no longer exists, so no process was started. Restore it, or start a session elsewhere.`,
          { cwd: session.cwd },
        );
      }
    },
  };
  return maker;
}
