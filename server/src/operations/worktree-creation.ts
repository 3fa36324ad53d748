import { withDeadline } from '@agent-console/shared/deadline';
import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import { COMMAND_LIMIT_MS } from '@agent-console/shared/limits/worktrees';
import type { InputOf } from '@agent-console/shared/operations/table';
import type { Call } from '../domain/call.ts';
import type { ChosenAgent } from '../engine/agents/catalogue.ts';
import { authorOf, sourceOf } from '../engine/changes/author.ts';
import { queuePrompt } from '../engine/changes/task-changes.ts';
import { followDelegation } from '../engine/delegations/job.ts';
import { refuseUnsupportedServers } from '../engine/mcp-servers/attached.ts';
import { repositoryRow } from '../engine/rows.ts';
import { retryWhileBusy } from '../engine/scheduling/jobs.ts';
import { insertSession, titleFrom } from '../engine/sessions/new-session.ts';
import { abandonWorktree } from '../engine/worktrees/abandon.ts';
import { refuseMoreWorktrees } from '../engine/worktrees/agent-limits.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import { beginDelegation, type DelegationRequest } from './delegations.ts';
import { RESPONSE_MARGIN_MS, waitUntil } from './job-answer.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { currentWorktree, syncWorktrees } from './worktrees.ts';

type Input = InputOf<'worktrees.create'>;

/** Whether the call is a delegation: an agent creates the worktree together with a session in it. */
function isDelegation({ autoStartSession }: Input, { caller }: Call): boolean {
  return autoStartSession && caller.kind === 'worker';
}

/** @throws VALIDATION if a field that the mode requires is missing, or if a field cannot be used with the mode. */
function checkMode(input: Input, call: Call): void {
  const need = (field: 'prompt' | 'branch') => {
    if (input[field] === undefined) throw fieldError(field, `is required with mode ${input.mode}`);
  };
  if (input.mode === 'prompt') need('prompt');
  else need('branch');
  if (isDelegation(input, call) && input.prompt === undefined) {
    throw fieldError(
      'prompt',
      'is required when an agent sets `autoStartSession`, because the prompt becomes the task of the new session',
    );
  }
  if (input.mcpServerIds !== undefined && !input.autoStartSession) {
    throw fieldError(
      'mcpServerIds',
      'can be used only with `autoStartSession`, because a session gets the MCP servers',
    );
  }
  if (input.mode === 'existing' && (input.baseBranch !== undefined || input.useRemote)) {
    const field = input.baseBranch === undefined ? 'useRemote' : 'baseBranch';
    throw fieldError(field, 'cannot be used with `mode` existing, which checks out the branch as it is');
  }
}

/**
 * Returns `branch` if it can be checked out. @throws NOT_FOUND for a missing branch, CONFLICT for a branch that is
 * checked out in another worktree.
 */
async function availableBranch(context: OperationContext, repository: RepositoryRow, branch: string): Promise<string> {
  if (!(await context.git.branchExists(repository, branch))) {
    throw new ConsoleError(
      'NOT_FOUND',
      `${repository.name} has no branch ${branch}. Use \`mode\` custom to create it.`,
      {
        branch,
      },
    );
  }
  // A worktree that is stored with this branch may have switched to another branch since.
  const rows = await syncWorktrees(context, repository);
  const entries = await context.git.listWorktrees(repository);
  const holder = entries.find((entry) => entry.branch === branch);
  if (holder !== undefined) {
    const { path, prunable } = holder;
    const managed = rows.find((row) => row.kind === 'managed' && row.path === path);
    const remedy =
      managed === undefined ? `Run git worktree prune in ${repository.path}` : `Remove worktree ${managed.name}`;
    const advice = prunable
      ? `, but git can no longer use that folder. ${remedy}, or choose another branch.`
      : '. Choose another branch.';
    throw new ConsoleError('CONFLICT', `Branch ${branch} is already checked out at ${path}${advice}`, { branch, path });
  }
  return branch;
}

/** Whether the worktree gets a new branch. With mode `either`, a branch is created only if no branch has this name. */
async function createsBranch(
  { git }: OperationContext,
  { mode, branch }: Input,
  repository: RepositoryRow,
): Promise<boolean> {
  return mode === 'either' ? !(await git.branchExists(repository, branch ?? '')) : mode !== 'existing';
}

/** Stores the worktree and its job, so that no other call can take the worktree's branch name. */
async function reserve(
  context: OperationContext,
  call: Call,
  input: Input,
  repository: RepositoryRow,
  agentId: string,
): Promise<{ job: JobRow; worktree: WorktreeRow; warnings: string[] }> {
  const base = input.baseBranch ?? repository.defaultBranch;
  const isNew = await createsBranch(context, input, repository);
  const baseSha = isNew && !input.useRemote ? (await context.git.resolveBase(repository, base, false)).sha : null;
  const { name: suggestion, warning } = await suggestBranch(context, input, agentId);
  return context.maker.alone(repository.id, async () => {
    const branch = isNew
      ? await context.maker.chooseBranch(repository, { branch: input.branch, prompt: input.prompt, suggestion })
      : await availableBranch(context, repository, input.branch ?? '');
    const author = authorOf(call);
    return context.storage.write(author, async (tx) => {
      const { name, useRemote, wait } = input;
      const start = { base, useRemote, baseSha, ...(name === undefined ? {} : { name }) };
      const plan = { id: context.newId(), branch, branchCreated: isNew, ...start };
      const worktree = await context.maker.reserve(tx, repository, plan);
      const job = await context.jobs.create(tx, author, 'worktree-creation', { worktreeId: worktree.id });
      await tx.remember({ jobId: job.id, ...(wait ? { worktreeId: worktree.id } : {}) });
      return { job, worktree, warnings: warning === null ? [] : [warning] };
    });
  });
}

async function build(
  context: OperationContext,
  call: Call,
  input: Input,
  worktree: WorktreeRow,
  agent: ChosenAgent | null,
  namingWarnings: readonly string[],
): Promise<Record<string, unknown>> {
  const base = { base: worktree.baseRef ?? '', useRemote: input.useRemote };
  const { idempotency: _, ...author } = authorOf(call);
  try {
    const built = await context.maker.checkOut(worktree.id, base, context.now().getTime() + COMMAND_LIMIT_MS);
    // Everything is stored in one transaction: the worktree must not become ready without the requested session and
    // prompt.
    const session = await context.storage.write(author, async (tx) => {
      await context.maker.markReady(tx, worktree.id, built);
      return agent === null ? {} : insertSessionInWorktree(tx, context, call, input, worktree, agent);
    });
    const { id: worktreeId, branch, path: worktreePath } = worktree;
    return { worktreeId, branch, worktreePath, warnings: [...namingWarnings, ...built.warnings], ...session };
  } catch (error) {
    const known =
      error instanceof ConsoleError
        ? error
        : new ConsoleError('INTERNAL', 'The worktree could not be created. Try again.');
    // The worktree is removed before the job fails, so that a repeated call can use the same branch and folder. If the
    // removal fails, the worktree stays in state `creating`, in which no session can use it, and the console removes it
    // later.
    await retryWhileBusy(() => abandonWorktree(context, worktree.id, known)).catch(() => undefined);
    throw error;
  }
}

async function insertSessionInWorktree(
  tx: Transaction,
  context: OperationContext,
  call: Call,
  input: Input,
  worktree: WorktreeRow,
  agent: ChosenAgent,
) {
  const session = await insertSession(tx, context, call, {
    worktree: { id: worktree.id, repositoryId: worktree.repositoryId },
    cwd: worktree.path,
    agent,
    title: input.title ?? titleFrom(input.prompt ?? worktree.branch ?? undefined),
    parent: null,
    depth: 0,
    queueHeld: false,
    mcpServerIds: input.mcpServerIds ?? [],
  });
  if (input.prompt === undefined) return { sessionId: session.id };
  const prompt = { sessionId: session.id, prompt: input.prompt, ...sourceOf(call), notifyOnCompletion: true };
  const { task } = await queuePrompt(tx, context, prompt);
  await context.reconciler.startHead(tx, session.id);
  return { sessionId: session.id, taskId: task.id };
}

interface StartedCreation {
  job: JobRow;
  worktreeId: string;
  running: Promise<void>;
}

function createWorktree(context: OperationContext): Implementation<'worktrees.create'> {
  return async (input, call) => {
    const deadline = context.now().getTime() + CALL_MAX_MS - RESPONSE_MARGIN_MS;
    checkMode(input, call);
    const start = isDelegation(input, call) ? startDelegation : startCreation;
    const { job, worktreeId, running } = await start(context, input, call);
    if (!input.wait) return { jobId: job.id };
    await waitUntil(running, withDeadline(call.signal, Math.max(deadline - context.now().getTime(), 1)));
    return { jobId: job.id, worktree: await worktreeOfJob(context, job.id, worktreeId) };
  };
}

async function startCreation(context: OperationContext, input: Input, call: Call): Promise<StartedCreation> {
  const repository = await repositoryRow(context.storage.read.repositories, input.repositoryId);
  await refuseMoreWorktrees(context.storage.read, [repository.id], call);
  const { defaultAgentId } = await context.settings.current();
  const agent = input.autoStartSession ? await context.catalogue.choose(input.agentId, defaultAgentId) : null;
  if (agent !== null) await refuseUnsupportedServers(context, agent, input.mcpServerIds ?? []);
  const { job, worktree, warnings } = await reserve(context, call, input, repository, input.agentId ?? defaultAgentId);
  const running = context.jobs.run(job, async (progress) => {
    progress(0, 'checking out');
    return build(context, call, input, worktree, agent, warnings);
  });
  return { job, worktreeId: worktree.id, running };
}

/** Delegates like `delegations.create`, with a job that follows the delegation's progress. */
async function startDelegation(context: OperationContext, input: Input, call: Call): Promise<StartedCreation> {
  const { prompt = '', name, mode, autoStartSession: _, wait, ...rest } = input;
  const existingBranch = async (repository: RepositoryRow) => availableBranch(context, repository, input.branch ?? '');
  const repository = await repositoryRow(context.storage.read.repositories, input.repositoryId);
  const isNew = await createsBranch(context, input, repository);
  const request: DelegationRequest = { ...rest, prompt, worktreeName: name, notifyOnCompletion: true };
  const author = authorOf(call);
  let job: JobRow | undefined;
  const { id, worktreeId } = await beginDelegation(
    context,
    isNew ? request : { ...request, existingBranch },
    call,
    async (tx, row) => {
      job = await context.jobs.create(tx, author, 'worktree-creation', { delegationId: row.id });
      await tx.remember({ jobId: job.id, ...(wait ? { worktreeId: row.worktreeId } : {}) });
    },
    true,
  );
  if (job === undefined) throw new Error('the delegation was stored without a job');
  return { job, worktreeId, running: followDelegation(context, job, id) };
}

/** Returns the current view of a job's worktree. @throws the job's error if the job failed. */
async function worktreeOfJob(context: OperationContext, jobId: string, worktreeId: string) {
  const error = (await context.storage.read.jobs.get(jobId))?.error;
  const failed = error && ConsoleError.fromBody({ error });
  if (failed) throw failed;
  return currentWorktree(context, worktreeId);
}

/**
 * Returns the function that answers a repeated call with the current state of the worktree that the first call created.
 */
export function replayWorktree(context: OperationContext) {
  return async (remembered: Record<string, unknown>) => {
    const { jobId, worktreeId } = remembered as { jobId: string; worktreeId?: string };
    return worktreeId === undefined ? { jobId } : { jobId, worktree: await worktreeOfJob(context, jobId, worktreeId) };
  };
}

/** Asks the agent for a branch name if the mode is `prompt`, the input names no branch, and the agent is installed. */
async function suggestBranch({ catalogue, naming }: OperationContext, input: Input, agentId: string) {
  const definition = input.mode === 'prompt' && input.branch === undefined ? await catalogue.find(agentId) : undefined;
  if (definition === undefined || !(await catalogue.installed(definition))) return { name: null, warning: null };
  return naming.suggest(definition, input.prompt ?? '');
}

export function worktreeCreation(context: OperationContext) {
  return {
    'worktrees.create': createWorktree(context),
  } satisfies Partial<Implementations>;
}
