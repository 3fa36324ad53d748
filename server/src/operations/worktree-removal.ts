import { basename } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { COMMAND_LIMIT_MS } from '@agent-console/shared/limits/worktrees';
import type { OutputOf } from '@agent-console/shared/operations/table';
import type { Call } from '../domain/call.ts';
import { commandEnvironment } from '../domain/environment.ts';
import { authorOf } from '../engine/author.ts';
import { presentWorktree } from '../engine/present.ts';
import { repositoryRow, worktreeRow } from '../engine/rows.ts';
import { notReady, sessionsIn } from '../engine/worktrees/occupancy.ts';
import { finishRemoval } from '../engine/worktrees/recover.ts';
import type { RemovalRisk } from '../ports/git.ts';
import type { RepositoryRow, WorktreeRow } from '../ports/rows/worktrees.ts';
import type { Readers, Storage, Transaction } from '../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';

/** Told again by nobody: what an earlier call took away, that one found. */
const NOTHING_LOST: RemovalRisk = {
  uncommitted: [],
  untracked: [],
  unpushed: [],
  ignored: [],
  leftOut: [],
  inProgress: null,
  more: 0,
};

/** Paths named in a sentence; all of them are in the details beside it. */
const NAMED = 5;

async function refuseLiveSessions(read: Pick<Readers, 'sessions' | 'workers'>, worktree: WorktreeRow): Promise<void> {
  const sessions = await sessionsIn(read, worktree);
  if (sessions.length === 0) return;
  const ids = sessions.map((session) => session.id);
  const workers = await read.workers.find({
    sessionId: ids,
    state: ['starting', 'running'],
    type: ['agent', 'terminal'],
  });
  if (workers.length === 0) return;
  const live = new Set(workers.map(({ sessionId }) => sessionId));
  // Whoever may remove a worktree need not know of private sessions in it.
  const session = sessions.find(({ id, visibility }) => live.has(id) && visibility !== 'private');
  if (session === undefined) {
    throw new ConsoleError('CONFLICT', 'A private session is live in this worktree. Its owner has to stop it first.');
  }
  throw new ConsoleError(
    'CONFLICT',
    `Session ${session.id} "${session.title}" is live in this worktree. Stop it first.`,
    { sessionId: session.id },
  );
}

/** What a person should know before the worktree goes; ignored files alone (build output) refuse nothing. */
function wouldLose(risk: RemovalRisk): string[] {
  const losses = [
    [risk.uncommitted.length, 'uncommitted change(s)'],
    [risk.untracked.length, 'untracked file(s)'],
    [risk.unpushed.length, 'commit(s) that are on no other branch or remote'],
  ] as const;
  const { inProgress } = risk;
  const begun =
    inProgress === null
      ? []
      : [`a ${inProgress.operation} in progress${inProgress.saved ? '' : ', which cannot be saved'}`];
  return [...losses.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`), ...begun];
}

function named(paths: readonly string[]): string {
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  return `${paths.slice(0, NAMED).join(', ')}${more}`;
}

function refusal({ name }: WorktreeRow, lost: RemovalRisk, losses: readonly string[]): ConsoleError {
  const { leftOut } = lost;
  const never = leftOut.length === 0 ? '' : ` ${leftOut.length} cannot be saved: ${named(leftOut)}.`;
  const advice = 'Commit or push them, or repeat with force: what can be saved is saved for 30 days.';
  return new ConsoleError('CONFLICT', `Worktree ${name} holds ${losses.join(', ')}.${never} ${advice}`, { lost });
}

/** What went although nobody was asked, or was asked about something else. */
function unsavedWords({ ignored, inProgress }: RemovalRisk): string[] {
  const unsaved = ignored.filter(({ saved }) => !saved).map(({ path }) => path);
  return [
    ...(unsaved.length === 0 ? [] : [`Ignored by git, and not saved: ${named(unsaved)}.`]),
    ...(inProgress?.saved === false ? [`A ${inProgress.operation} was in progress, and is not saved.`] : []),
  ];
}

async function cleanUp(
  host: OperationContext['host'],
  repository: RepositoryRow,
  worktree: WorktreeRow,
): Promise<string[]> {
  const { cleanupCommand: command } = repository;
  if (command === null || !(await host.isFolder(worktree.path))) return [];
  const env = commandEnvironment(host.environment);
  const end = await host.runCommand({ command, cwd: worktree.path, env, limitMs: COMMAND_LIMIT_MS });
  return end.exitCode === 0 ? [] : [`The cleanup command failed: ${end.output.trim().slice(-500)}`];
}

/** One whose removal was cut off is removed once more. */
function isRemovable({ state }: WorktreeRow): boolean {
  return state === 'ready' || state === 'removing';
}

/** One whose folder is gone: only its commit can be saved, and an older recovery says nothing of what it held since. */
async function removeMissing(
  { storage, git }: OperationContext,
  call: Call,
  worktree: WorktreeRow,
  repository: RepositoryRow,
): Promise<OutputOf<'worktrees.remove'>> {
  const { path } = worktree;
  const recoveryRef = await git.saveHead({ repositoryPath: repository.path, path, name: basename(path) });
  await mark(storage, call, worktree, 'removing', { recoveryRef });
  const row = await finishRemoval({ storage, git }, authorOf(call), worktree, repository);
  const there = row.branch !== null && (await git.branchExists(repository.path, row.branch));
  const branch = row.branch === null ? '' : ` Its branch ${row.branch} ${there ? 'stays' : 'is gone too'}.`;
  const kept = recoveryRef === null ? 'nothing' : 'nothing but the commit that it stood at';
  const warnings = [`Its folder ${row.path} was gone already, so ${kept} was saved.${branch}`];
  return { worktree: presentWorktree(row), recoveryRef, lost: NOTHING_LOST, leftOut: [], warnings };
}

function mark(
  storage: Storage,
  call: Call,
  worktree: WorktreeRow,
  state: 'removing' | 'ready',
  also: { recoveryRef?: string | null } = {},
): Promise<void> {
  return storage.write(authorOf(call), async (tx) => {
    const current = await worktreeRow(tx.worktrees, worktree.id);
    if (!isRemovable(current)) throw notReady(current);
    if (state === 'removing') await refuseLiveSessions(tx, worktree);
    await tx.worktrees.update(worktree.id, { state, ...also });
    const data = { worktreeId: worktree.id, state };
    await tx.record({ type: 'worktree.updated', subject: { kind: 'worktree', id: worktree.id }, data });
  });
}

function removeWorktree(context: OperationContext): Implementation<'worktrees.remove'> {
  const { storage, git, host } = context;
  return async ({ worktreeId, force }, call) => {
    const worktree = await worktreeRow(storage.read.worktrees, worktreeId);
    if (worktree.kind !== 'managed') {
      throw new ConsoleError(
        'UNSUPPORTED',
        `Only managed worktrees are removed here; this one is ${worktree.kind}. Use git worktree remove for your own.`,
        { worktreeId },
      );
    }
    if (!isRemovable(worktree)) throw notReady(worktree);
    const repository = await repositoryRow(storage.read.repositories, worktree.repositoryId);
    const { state, recoveryRef } = worktree;
    if (!(await host.isFolder(worktree.path))) {
      if (state !== 'removing' || recoveryRef === null) {
        return removeMissing(context, call, worktree, repository);
      }
      const row = await finishRemoval({ storage, git }, authorOf(call), worktree, repository);
      return { worktree: presentWorktree(row), recoveryRef, lost: NOTHING_LOST, leftOut: [], warnings: [] };
    }
    const checkout = { path: worktree.path, commonDir: repository.commonDir };
    const lost = await git.removalRisk(checkout);
    const losses = wouldLose(lost);
    if (losses.length > 0 && !force) throw refusal(worktree, lost, losses);
    // From here on nothing starts in it, so that what is saved is all there is.
    await mark(storage, call, worktree, 'removing');
    const warnings = unsavedWords(lost);
    let saved: { ref: string; leftOut: string[] };
    let row: WorktreeRow;
    try {
      saved = await git.saveRecovery(checkout, basename(worktree.path));
      await storage.write(authorOf(call), (tx) => tx.worktrees.update(worktreeId, { recoveryRef: saved.ref }));
      warnings.push(...(await cleanUp(host, repository, worktree)));
      row = await finishRemoval({ storage, git }, authorOf(call), worktree, repository);
    } catch (error) {
      if (await host.isFolder(worktree.path)) await mark(storage, call, worktree, 'ready');
      throw error;
    }
    const { ref, leftOut } = saved;
    return { worktree: presentWorktree(row), recoveryRef: ref, lost, leftOut, warnings };
  };
}

/** The states of a worktree that has its branch and its folder to itself. */
const THERE: WorktreeRow['state'][] = ['creating', 'ready', 'removing', 'restoring'];

/** Why a worktree is not one to restore, and what to do instead. */
function notRestorable({ id: worktreeId, name, state, branch, recoveryRef }: WorktreeRow): ConsoleError {
  const words =
    state === 'removed'
      ? `Nothing was saved of worktree ${name} when it was removed, since its folder was gone. Make a new one of its branch ${branch ?? ''}`
      : `Worktree ${name} is ${state}; only a removed one can be restored. If its folder is gone, remove it, and make a new one of its branch ${branch ?? ''}`;
  return new ConsoleError('CONFLICT', `${words.trimEnd()}.`, { worktreeId, state, recoveryRef });
}

/** Whether it can be restored; what it was saved in, too. */
function restorable(worktree: WorktreeRow): WorktreeRow & { recoveryRef: string } {
  const { state, recoveryRef } = worktree;
  if (state !== 'removed' || recoveryRef === null) throw notRestorable(worktree);
  return { ...worktree, recoveryRef };
}

/**
 * Marks it first, so that it is restored once, and no listing meanwhile takes the folder for somebody else's. `branch` is
 * the one that it comes back on: the one it was removed from.
 */
async function claim(tx: Transaction, worktreeId: string, branch: string | null) {
  const { repositoryId, path, name } = restorable(await worktreeRow(tx.worktrees, worktreeId));
  const holder =
    (branch === null
      ? undefined
      : await tx.worktrees.first({ repositoryId, branch, state: THERE, kind: ['managed', 'adopted'] })) ??
    (await tx.worktrees.first({ path, state: THERE }));
  if (holder !== undefined) {
    throw new ConsoleError(
      'CONFLICT',
      `Worktree ${name} cannot be restored: ${holder.name} has its ${branch === null ? '' : `branch ${branch} or its `}folder now. Remove that one first.`,
      { worktreeId, branch, path: holder.path },
    );
  }
  await tx.worktrees.update(worktreeId, { state: 'restoring', branch });
}

function restoreWorktree({ storage, git }: OperationContext): Implementation<'worktrees.restore'> {
  return async ({ worktreeId }, call) => {
    const worktree = restorable(await worktreeRow(storage.read.worktrees, worktreeId));
    const repository = await repositoryRow(storage.read.repositories, worktree.repositoryId);
    const { path, recoveryRef } = worktree;
    const branch = await git.recoveryBranch(repository.path, recoveryRef);
    await storage.write(authorOf(call), (tx) => claim(tx, worktreeId, branch));
    const { sha, warnings } = await git
      .restoreWorktree({ repositoryPath: repository.path, path, recoveryRef })
      .catch(async (error) => {
        const before = { state: 'removed' as const, branch: worktree.branch };
        await storage.write(authorOf(call), (tx) => tx.worktrees.update(worktreeId, before));
        throw error;
      });
    return storage.write(authorOf(call), async (tx) => {
      await tx.worktrees.update(worktreeId, { state: 'ready', currentSha: sha });
      await tx.record({
        type: 'worktree.restored',
        subject: { kind: 'worktree', id: worktreeId },
        data: { worktreeId, branch },
      });
      return { ...presentWorktree(await worktreeRow(tx.worktrees, worktreeId)), warnings };
    });
  };
}

export function worktreeRemoval(context: OperationContext) {
  return {
    'worktrees.remove': removeWorktree(context),
    'worktrees.restore': restoreWorktree(context),
  } satisfies Partial<Implementations>;
}
