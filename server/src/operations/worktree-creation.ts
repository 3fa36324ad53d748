import { ConsoleError } from '@agent-console/shared/errors';
import { CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import { COMMAND_LIMIT_MS } from '@agent-console/shared/limits/worktrees';
import type { InputOf } from '@agent-console/shared/operations/table';
import type { Call } from '../domain/call.ts';
import type { ChosenAgent } from '../engine/agents/catalogue.ts';
import { authorOf, sourceOf } from '../engine/author.ts';
import { followDelegation } from '../engine/delegations/job.ts';
import { retryWhileBusy } from '../engine/jobs.ts';
import { repositoryRow } from '../engine/rows.ts';
import { insertSession, titleFrom } from '../engine/sessions/new-session.ts';
import { queuePrompt } from '../engine/task-changes.ts';
import { type Deadline, withDeadline } from '../engine/timeouts.ts';
import { abandonWorktree } from '../engine/worktrees/abandon.ts';
import { refuseMoreWorktrees } from '../engine/worktrees/agent-limits.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../ports/rows/worktrees.ts';
import type { Transaction } from '../ports/storage.ts';
import { beginDelegation, type Wanted } from './delegations.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { worktreeNow } from './worktrees.ts';

type Input = InputOf<'worktrees.create'>;

/** Left of a call's time for its answer to travel. */
const ANSWER_MS = 1_000;

/** An agent that asks for a session with the worktree gives work away, within the limits and with the notice of a delegation. */
function isDelegation({ autoStartSession }: Input, { caller }: Call): boolean {
  return autoStartSession && caller.kind === 'worker';
}

/** What the mode asks for, before anything is touched. */
function checkMode(input: Input, call: Call): void {
  const need = (field: 'prompt' | 'branch') => {
    if (input[field] === undefined)
      throw new ConsoleError('VALIDATION', `${field}: is required with mode ${input.mode}`, { field });
  };
  if (input.mode === 'prompt') need('prompt');
  else need('branch');
  if (isDelegation(input, call) && input.prompt === undefined) {
    throw new ConsoleError(
      'VALIDATION',
      'prompt: is required with autoStartSession when an agent calls: it is the work for the agent that starts',
      { field: 'prompt' },
    );
  }
  if (input.mode === 'existing' && (input.baseBranch !== undefined || input.useRemote)) {
    throw new ConsoleError(
      'VALIDATION',
      'baseBranch and useRemote do not go with mode existing: the branch is taken as it is',
      {},
    );
  }
}

async function existingBranch(context: OperationContext, repository: RepositoryRow, branch: string): Promise<string> {
  if (!(await context.git.branchExists(repository.path, branch))) {
    throw new ConsoleError(
      'NOT_FOUND',
      `There is no branch ${branch} in ${repository.name}. Use mode custom to make it.`,
      { branch },
    );
  }
  // One that is being made stands in no list of git's yet.
  const state = ['creating', 'restoring'] as const;
  const begun = await context.storage.read.worktrees.first({ repositoryId: repository.id, branch, state });
  const entries = await context.git.listWorktrees(repository.path);
  const holder = begun ?? entries.find((entry) => entry.branch === branch);
  if (holder !== undefined) {
    throw new ConsoleError('CONFLICT', `Branch ${branch} is checked out already at ${holder.path}.`, {
      branch,
      path: holder.path,
    });
  }
  return branch;
}

/** Whether the worktree begins a branch; with mode either, where there is none of that name. */
async function makesBranch(
  { git }: OperationContext,
  { mode, branch }: Input,
  { path }: RepositoryRow,
): Promise<boolean> {
  return mode === 'either' ? !(await git.branchExists(path, branch ?? '')) : mode !== 'existing';
}

async function reserve(
  context: OperationContext,
  call: Call,
  input: Input,
  repository: RepositoryRow,
  agentId: string,
): Promise<{ job: JobRow; worktree: WorktreeRow; warnings: string[] }> {
  const base = input.baseBranch ?? repository.defaultBranch;
  const isNew = await makesBranch(context, input, repository);
  const baseSha = isNew && !input.useRemote ? (await context.git.resolveBase(repository.path, base, false)).sha : null;
  const { name: suggestion, warning } = await suggestBranch(context, input, agentId);
  return context.maker.alone(repository.id, async () => {
    const branch = isNew
      ? await context.maker.chooseBranch(repository, { branch: input.branch, prompt: input.prompt, suggestion })
      : await existingBranch(context, repository, input.branch ?? '');
    const author = authorOf(call);
    return context.storage.write(author, async (tx) => {
      const { name, useRemote, wait } = input;
      const about = { base, useRemote, baseSha, ...(name === undefined ? {} : { name }) };
      const plan = { id: context.newId(), branch, branchCreated: isNew, ...about };
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
    // Together, so that nobody gets a worktree without the session and the prompt that were asked for with it.
    const session = await context.storage.write(author, async (tx) => {
      await context.maker.markReady(tx, worktree.id, built);
      return agent === null ? {} : insertWork(tx, context, call, input, worktree, agent);
    });
    const { id: worktreeId, branch, path: worktreePath } = worktree;
    return { worktreeId, branch, worktreePath, warnings: [...namingWarnings, ...built.warnings], ...session };
  } catch (error) {
    const known =
      error instanceof ConsoleError ? error : new ConsoleError('INTERNAL', 'The worktree could not be made.');
    // The job has not failed before the worktree is out of the way of a repeat. What cannot be undone now stays
    // `creating`, in which nothing starts, and is tried again later.
    await retryWhileBusy(() => abandonWorktree(context, worktree.id, known)).catch(() => undefined);
    throw error;
  }
}

async function insertWork(
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
    description: '',
    parent: null,
    depth: 0,
    mode: undefined,
    ceiling: undefined,
    queueHeld: false,
  });
  if (input.prompt === undefined) return { sessionId: session.id };
  const prompt = { sessionId: session.id, prompt: input.prompt, ...sourceOf(call), notifyOnCompletion: true };
  const { task } = await queuePrompt(tx, context, prompt);
  await context.reconciler.startHead(tx, session.id);
  return { sessionId: session.id, taskId: task.id };
}

interface Begun {
  job: JobRow;
  worktreeId: string;
  running: Promise<void>;
}

function createWorktree(context: OperationContext): Implementation<'worktrees.create'> {
  return async (input, call) => {
    const endsAt = context.now().getTime() + CALL_MAX_MS - ANSWER_MS;
    checkMode(input, call);
    const begin = isDelegation(input, call) ? delegate : make;
    const { job, worktreeId, running } = await begin(context, input, call);
    if (!input.wait) return { jobId: job.id };
    await atMost(running, withDeadline(call.signal, Math.max(endsAt - context.now().getTime(), 1)));
    return { jobId: job.id, worktree: await madeBy(context, job.id, worktreeId) };
  };
}

async function make(context: OperationContext, input: Input, call: Call): Promise<Begun> {
  const repository = await repositoryRow(context.storage.read.repositories, input.repositoryId);
  await refuseMoreWorktrees(context.storage.read, [repository.id], call);
  const { defaultAgentId } = await context.settings.current();
  const agent = input.autoStartSession ? await context.catalogue.choose(input.agentId, defaultAgentId) : null;
  const { job, worktree, warnings } = await reserve(context, call, input, repository, input.agentId ?? defaultAgentId);
  const running = context.jobs.run(job, async (progress) => {
    progress(0, 'checking out');
    return build(context, call, input, worktree, agent, warnings);
  });
  return { job, worktreeId: worktree.id, running };
}

/** Gives the work away as `delegations.create` does, with a job that says how far it came. */
async function delegate(context: OperationContext, input: Input, call: Call): Promise<Begun> {
  const { prompt = '', name, mode, autoStartSession: _, wait, ...rest } = input;
  const takeBranch = async (repository: RepositoryRow) => existingBranch(context, repository, input.branch ?? '');
  const repository = await repositoryRow(context.storage.read.repositories, input.repositoryId);
  const isNew = await makesBranch(context, input, repository);
  const wanted: Wanted = { ...rest, prompt, worktreeName: name, notifyOnCompletion: true };
  const author = authorOf(call);
  let job: JobRow | undefined;
  const { id, worktreeId } = await beginDelegation(
    context,
    isNew ? wanted : { ...wanted, takeBranch },
    call,
    async (tx, row) => {
      job = await context.jobs.create(tx, author, 'worktree-creation', { delegationId: row.id });
      await tx.remember({ jobId: job.id, ...(wait ? { worktreeId: row.worktreeId } : {}) });
    },
    true,
  );
  if (job === undefined) throw new Error('a delegation is stored with its job');
  return { job, worktreeId, running: followDelegation(context, job, id) };
}

/** Waits for work until the signal says that there is no time left; the work goes on. */
async function atMost(work: Promise<void>, { signal, release }: Deadline): Promise<void> {
  try {
    await Promise.race([
      work,
      new Promise((resolve) => {
        if (signal.aborted) resolve(undefined);
        signal.addEventListener('abort', resolve, { once: true });
      }),
    ]);
  } finally {
    release();
  }
}

/** The worktree of a job as it is now; why there is none, when the job failed. */
async function madeBy(context: OperationContext, jobId: string, worktreeId: string) {
  const error = (await context.storage.read.jobs.get(jobId))?.error;
  const failed = error && ConsoleError.fromBody({ error });
  if (failed) throw failed;
  return worktreeNow(context, worktreeId);
}

/** A repeat shows the worktree of the first call as it is now. */
export function replayWorktree(context: OperationContext) {
  return async (remembered: Record<string, unknown>) => {
    const { jobId, worktreeId } = remembered as { jobId: string; worktreeId?: string };
    return worktreeId === undefined ? { jobId } : { jobId, worktree: await madeBy(context, jobId, worktreeId) };
  };
}

/** What the agent calls the branch where it is asked: with mode prompt, if it is here. */
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
